#!/bin/sh
# SPDX-License-Identifier: MIT
# The sections of AArch64 are well formed as its compilers make them, inlined
# into programs and in the library; no such machine is needed to see it.
#
# usage: aarch64.sh SOURCE_ROOT
set -eu
root=$1
here=$root/tests/abort
gcc=aarch64-linux-gnu-gcc

command -v $gcc >/dev/null || { echo "skipped: no $gcc"; exit 77; }
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

# sections COMPILER...: of the sources that have sections
sections() {
	for source in alloc cache counter guarded magazine slot stack twins \
		twins_multi twins_value; do
		"$@" -c "$root/src/$source.c" -o "$dir/$source.o"
	done
	for source in operation_c multi_c; do
		"$@" -c "$here/$source.c" -o "$dir/$source.o"
	done
	# What they use is not looked at.
	$gcc -shared -o "$dir/sections.so" "$dir"/*.o
	"$here/descriptors.py" "$dir/sections.so"
}

flags="-std=gnu11 -D_GNU_SOURCE -Wall -Wextra -Werror -fPIC
	-I$root/include -I$here"
for level in -O0 -O2; do
	# $flags is a list.
	# shellcheck disable=SC2086
	sections $gcc $flags $level
	# shellcheck disable=SC2086
	! command -v clang >/dev/null ||
		sections clang --target=aarch64-linux-gnu $flags $level
done
