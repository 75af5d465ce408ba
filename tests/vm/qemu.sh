#!/bin/sh
# SPDX-License-Identifier: MIT
# QEMU of another suite of Debian's, with all that it is linked with, unpacked
# into a directory and not installed. Prints the path of a command that takes
# QEMU's arguments; exit 77 if it cannot be had.
#
#   qemu.sh DIRECTORY SUITE MACHINE
#
# MACHINE, x86_64 or aarch64, is what it emulates.
set -eu
dir=$1
suite=$2
machine=$3
case $machine in
aarch64) package=qemu-system-arm ;;
*) package=qemu-system-x86 ;;
esac
arch=$(dpkg --print-architecture 2>/dev/null) || arch=amd64

none() {
	echo "skipped: no QEMU of $suite: $*" >&2
	exit 77
}

config=$("$(dirname "$0")/archive.sh" "$dir" "$suite" "$arch")
dir=$(cd "$dir" && pwd)
root=$dir/qemu-$suite-$machine
exec 9>"$root.lock"
flock 9
if [ ! -e "$root/run" ]; then
	unpacked=$(mktemp -d "$dir/unpacked.XXXXXX")
	trap 'rm -rf "$unpacked"' EXIT
	# To apt's knowledge nothing is installed, so libc comes with it.
	timeout 300 apt-get -c "$config" install -q -y --download-only \
		--no-install-recommends -o Dir::Cache::archives="$unpacked" \
		$package >"$root.log" 2>&1 ||
		none "$(tail -n 1 "$root.log")"
	rm -rf "$root"
	mkdir "$root"
	for deb in "$unpacked"/*.deb; do
		dpkg-deb -x "$deb" "$root"
	done
	loader=$(cd "$root" && find . -name 'ld-linux*.so*' | head -n 1)
	[ -n "$loader" ] || none 'it came without a loader'
	libraries=$(find "$root/lib" "$root/usr/lib" -name 'lib*.so.*' \
		-printf '%h\n' 2>/dev/null | sort -u | paste -s -d :)
	cat >"$root/run.new" <<-EOF
		#!/bin/sh
		exec $root/$loader --library-path $libraries \
			$root/usr/bin/qemu-system-$machine \
			-L $root/usr/share/qemu -L $root/usr/share/seabios "\$@"
	EOF
	chmod +x "$root/run.new"
	mv "$root/run.new" "$root/run"
fi
echo "$root/run"
