#!/bin/sh
# SPDX-License-Identifier: MIT
# Run one statically linked program in a virtual machine of its own, whose whole
# user space it is, with the distribution's kernel. Its output is what it wrote
# there, its exit status what it exited with.
#
#   run.sh [OPTION]... DIRECTORY INIT PROGRAM [ARGUMENT]...
#
#   -s CPUS       as QEMU's -smp; 2
#   -m MIB        memory; 256
#   -a ARGUMENTS  more for the kernel's command line; twice is fine
#   -q WORDS      more for QEMU's command line, split at spaces; twice is fine
#   -k PACKAGE    a metapackage of another kernel; see kernel.sh
#   -t SECONDS    how long the program may run; the machine takes 60 more; 60
#
# DIRECTORY keeps the kernel, INIT is the first process. Exit 77 without QEMU or
# the kernel, 137 for a program that was killed, as one is that runs too long.
# A machine that does not come to an end is tried once more, and then the exit
# status is 125. A program that failed is never run again.
#
# The processor is emulated: what needs interrupts within a short stretch of
# code, or a processor's own order of memory accesses, is not seen here.
set -eu

cpus=2
memory=256
arguments='panic=-1 quiet loglevel=1 mitigations=off nokaslr tsc=reliable
no_timer_check random.trust_cpu=on nowatchdog
rcupdate.rcu_cpu_stall_suppress=1'
qemu_words=
package=linux-image-cloud-amd64
seconds=60
while getopts s:m:a:q:k:t: option; do
	case $option in
	s) cpus=$OPTARG ;;
	m) memory=$OPTARG ;;
	a) arguments="$arguments $OPTARG" ;;
	q) qemu_words="$qemu_words $OPTARG" ;;
	k) package=$OPTARG ;;
	t) seconds=$OPTARG ;;
	*) exit 2 ;;
	esac
done
shift $((OPTIND - 1))
dir=$1
init=$2
program=$3
shift 3

here=$(dirname "$0")
for tool in qemu-system-x86_64 cpio; do
	command -v $tool >/dev/null || { echo "skipped: no $tool"; exit 77; }
done
kernel=$("$here/kernel.sh" "$dir" "$package") || exit

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/root"
cp "$init" "$work/root/init"
cp "$program" "$work/root/program"
printf '%s\0' "$(basename "$program")" "$@" >"$work/root/command"
# Uncompressed: an emulated processor takes its time to unpack.
(cd "$work/root" && find . | cpio -o -H newc --quiet) >"$work/initrd"

# shellcheck disable=SC2086  # words
boot() {
	timeout -k 5 $((seconds + 60)) qemu-system-x86_64 -M q35 -cpu max \
		-accel tcg,thread=multi -smp "$cpus" -m "$memory" $qemu_words \
		-nodefaults -no-user-config -no-reboot -display none \
		-serial stdio -kernel "$kernel" -initrd "$work/initrd" \
		-append "console=ttyS0 $(echo $arguments) SECONDS=$seconds" \
		</dev/null >"$work/line" 2>"$work/errors"
}

status() {
	sed -n 's/^@@end \([0-9]*\)$/\1/p' "$work/line"
}

boot || true
if [ -z "$(status)" ]; then
	echo "run.sh: the machine did not come to an end; once more" >&2
	boot || true
fi
sed -n '/^@@begin$/,/^@@end /p' "$work/line" | sed '/^@@/d'
if [ -z "$(status)" ]; then
	echo "run.sh: the machine did not come to an end; its last words:" >&2
	tail -n 20 "$work/line" "$work/errors" >&2
	exit 125
fi
exit "$(status)"
