#!/bin/sh
# SPDX-License-Identifier: MIT
# Run one statically linked program in a virtual machine of its own, whose whole
# user space it is, with a kernel of Debian's. Its output is what it wrote
# there, its exit status what it exited with.
#
#   run.sh [OPTION]... DIRECTORY INIT PROGRAM [ARGUMENT]...
#
#   -A MACHINE    x86_64 or aarch64, which INIT and PROGRAM are for; x86_64
#   -s CPUS       as QEMU's -smp; 2
#   -n NODES      so many nodes, which share the CPUs and the memory; 1
#   -z NODE       without memory, which the others have; twice is fine
#   -m MIB        memory; 256
#   -a ARGUMENTS  more for the kernel's command line; twice is fine. The
#                 program's environment has what the kernel does not know
#   -q WORDS      more for QEMU's command line, split at spaces; twice is fine
#   -k SUITE      the kernel of this suite of Debian's; this system's
#   -e SUITE      QEMU of this suite; this system's. 7.2 is not reliable with
#                 kernel 6.12 and 8 or more CPUs
#   -i            one instruction a block, see below
#   -t SECONDS    how long the program may run; the machine takes 60 more; 60
#
# DIRECTORY keeps kernels, INIT is the first process. Exit 77 without QEMU or
# the kernel, 137 for a program that was killed, as one is that runs too long.
# A machine that does not come to an end is tried once more, and then the exit
# status is 125. A program that failed is never run again.
#
# The processor is emulated, by translation of blocks of code, and interrupts
# come only between blocks: an unprotected load, add, store of one block is
# never interrupted, so a test of atomicity passes whatever it tests. With -i a
# block is one instruction, from when the machine has booted. Whatever the
# machine, the order of memory accesses is that of this computer's processor.
set -eu

machine=x86_64
cpus=2
nodes=1
without=' '
memory=256
arguments='panic=-1 quiet loglevel=1 mitigations=off nokaslr'
arguments="$arguments random.trust_cpu=on nowatchdog"
arguments="$arguments rcupdate.rcu_cpu_stall_suppress=1 cryptomgr.notests"
qemu_words=
kernel_of=-
qemu_of=
each=
seconds=60
while getopts A:s:n:z:m:a:q:k:e:it: option; do
	case $option in
	A) machine=$OPTARG ;;
	s) cpus=$OPTARG ;;
	n) nodes=$OPTARG ;;
	z) without="$without$OPTARG " ;;
	m) memory=$OPTARG ;;
	a) arguments="$arguments $OPTARG" ;;
	q) qemu_words="$qemu_words $OPTARG" ;;
	k) kernel_of=$OPTARG ;;
	e) qemu_of=$OPTARG ;;
	i) each=yes ;;
	t) seconds=$OPTARG ;;
	*) exit 2 ;;
	esac
done
shift $((OPTIND - 1))
dir=$1
init=$2
program=$3
shift 3

qemu=qemu-system-$machine
case $machine in
x86_64)
	debian=amd64
	processor='-M q35 -cpu max'
	arguments="$arguments console=ttyS0 tsc=reliable no_timer_check"
	# 64 CPUs that each measure a delay loop boot in 115 s, and so in 26.
	arguments="$arguments lpj=4000000"
	;;
aarch64)
	debian=arm64
	processor='-M virt,gic-version=3 -cpu max,pauth-impdef=on'
	arguments="$arguments console=ttyAMA0"
	;;
*) echo "run.sh: no machine $machine" >&2; exit 2 ;;
esac

here=$(dirname "$0")
if [ -n "$qemu_of" ]; then
	qemu=$("$here/qemu.sh" "$dir" "$qemu_of" "$machine") || exit
	# All that newer ones emulate as max takes a boot's time thrice.
	[ "$machine" != x86_64 ] || processor='-M q35 -cpu Haswell-noTSX'
fi
for tool in "$qemu" cpio; do
	command -v "$tool" >/dev/null || { echo "skipped: no $tool"; exit 77; }
done
kernel=$("$here/kernel.sh" "$dir" "$kernel_of" "$debian") || exit

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/root"
cp "$init" "$work/root/init"
cp "$program" "$work/root/program"
printf '%s\0' "$(basename "$program")" "$@" >"$work/root/command"
# Uncompressed: an emulated processor takes its time to unpack.
(cd "$work/root" && find . | cpio -o -H newc --quiet) >"$work/initrd"
# The serial line's other direction, and the monitor's two.
mkfifo "$work/keys" "$work/monitor.in" "$work/monitor.out"

# CPUs of node I are a stretch, those that may come later among them.
node_words() {
	possible=${cpus##*maxcpus=}
	with=$((nodes - $(echo "$without" | wc -w)))
	i=0
	while [ "$nodes" -gt 1 ] && [ $i -lt "$nodes" ]; do
		case $without in
		*" $i "*) node=node ;;
		*)
			size=$((memory / with))M
			echo "-object memory-backend-ram,id=m$i,size=$size"
			node=node,memdev=m$i
			;;
		esac
		echo "-numa $node,cpus=$((possible * i / \
			nodes))-$((possible * (i + 1) / nodes - 1))"
		i=$((i + 1))
	done
}

said() {
	grep -qx "$1" "$work/line" 2>/dev/null
}

# The first process waits until it may begin. The monitor obeys in order, and
# what it answers to the last command says that it did.
begin() {
	until said @@ready || ! kill -0 "$machine_pid" 2>/dev/null; do
		sleep 0.05
	done
	said @@ready || return 0
	if [ -n "$each" ]; then
		# QEMU 7.2's name of it, and later ones'.
		printf '%s\n' 'singlestep on' 'one-insn-per-tb on' \
			'info status' >"$work/monitor.in"
		timeout 10 sed '/VM status: running/q' <"$work/monitor.out" \
			>"$work/answers" || true
	fi
	echo >"$work/keys"
}

# shellcheck disable=SC2046,SC2086  # words
boot() {
	: >"$work/line"
	timeout -k 5 $((seconds + 60)) "$qemu" $processor \
		-accel tcg,thread=multi -smp "$cpus" -m "$memory" \
		$(node_words) $qemu_words \
		-nodefaults -no-user-config -no-reboot -display none \
		-chardev pipe,id=monitor,path="$work/monitor" -mon monitor \
		-serial stdio -kernel "$kernel" -initrd "$work/initrd" \
		-append "$arguments SECONDS=$seconds" \
		<>"$work/keys" >"$work/line" 2>"$work/errors" &
	machine_pid=$!
	begin
	# With 64 CPUs to stop one by one, a machine takes its time to power off.
	until said '@@end [0-9]*' || ! kill -0 $machine_pid 2>/dev/null; do
		sleep 0.05
	done
	kill $machine_pid 2>/dev/null || true
	wait $machine_pid
}

status() {
	sed -n 's/^@@end \([0-9]*\)$/\1/p' "$work/line"
}

last_words() {
	echo "run.sh: the machine did not come to an end; its last words:"
	tail -n 20 "$work/line" "$work/errors"
}

boot || true
if [ -z "$(status)" ]; then
	last_words >&2
	echo "run.sh: once more" >&2
	boot || true
fi
sed -n '/^@@begin$/,/^@@end /p' "$work/line" | sed '/^@@/d'
if [ -z "$(status)" ]; then
	last_words >&2
	exit 125
fi
exit "$(status)"
