#!/bin/sh
# SPDX-License-Identifier: MIT
# The library builds without a warning, and its tests of modules, of handles
# and of each operation, and where a sanitizer looks those of references, pass,
# with another compiler, other settings, another libc, for another machine.
#
#   variants.sh SOURCE NAME COMPILER MESON-OPTION...
set -eu
source=$1
name=$2
cc=$3
shift 3
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cflags=
cxx=false # none
tests=unit,alloc,build/api

need() {
	command -v "$1" >/dev/null || { echo "skipped: no $1"; exit 77; }
}

[ "$name" != sanitized ] || tests=$tests,ref
need "$cc"
case $cc in
gcc) cxx=g++ ;;
clang) cxx=clang++ ;;
aarch64-*)
	need qemu-aarch64
	tests=$tests,abort
	;;
musl-gcc)
	# The wrapper knows no kernel headers: show it these, none of glibc's.
	for headers in linux asm-generic asm; do
		for from in /usr/include "/usr/include/$(uname -m)-linux-gnu"; do
			[ ! -d "$from/$headers" ] ||
				ln -sfn "$from/$headers" "$dir/$headers"
		done
	done
	cflags="-idirafter $dir"
	;;
esac

run() {
	"$@" >>"$dir/log" 2>&1 ||
		{ echo "$name: $*"; tail -n 200 "$dir/log"; exit 1; }
}

run env CC="$cc" CXX="$cxx" meson setup "$dir/build" "$source" -Dwerror=true \
	-Dcli=false -Dthorough=false "-Dtests=$tests" -Dc_args="$cflags" "$@"
# Two variants at a time are quicker than two processes for one.
run ninja -C "$dir/build" -j1
run meson test -C "$dir/build" --no-rebuild --num-processes 1 --print-errorlogs
grep '^Ok:' "$dir/log"
