#!/bin/sh
# SPDX-License-Identifier: MIT
# Variables are right however a program is built: optimised across files, without
# what is not used, with common symbols, other linkers, position-dependent, with
# the library inside; in C++ an initialiser that is not constant does not compile,
# nor in either language an alignment beyond a page.
#
#   builds.sh SOURCE SHARED-LIBRARY STATIC-LIBRARY COMPILER
set -eu
source=$1
shared=$2
static=$3
cc=$4
command -v "$cc" >/dev/null || { echo "skipped: no $cc"; exit 77; }
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
tests=$source/tests/static
flags="-Wall -Wextra -Wpedantic -Wconversion -Werror -O2 -I$source/include
	-I$source/tests/support"

try() { # LIBRARY FLAG...
	library=$1
	shift
	# shellcheck disable=SC2086  # words
	"$cc" $flags "$@" "$tests/values.c" "$tests/variables.c" "$library" \
		"-Wl,-rpath,${library%/*}" -lpthread -o "$dir/values" &&
		"$dir/values" || { echo "failed: $cc $*"; exit 1; }
}

refuse() { # LANGUAGE TEXT
	printf '#include <percpu/static.h>\n%s\n' "$2" >"$dir/refuse.$1"
	# shellcheck disable=SC2086  # words
	if "$cc" $flags -c -o /dev/null "$dir/refuse.$1" 2>"$dir/log"; then
		echo "compiles: $2"
		exit 1
	fi
}

try "$shared" -fcommon -ffunction-sections -fdata-sections -Wl,--gc-sections
try "$shared" -O0 -fno-pie -no-pie -fvisibility=hidden
for way in -flto -fuse-ld=gold -fuse-ld=lld; do
	if echo 'int main(void) { return 0; }' | "$cc" $way -x c - \
		-o "$dir/way" 2>/dev/null; then
		try "$static" $way -ffunction-sections -Wl,--gc-sections
	fi
done
refuse c 'struct wide { _Alignas(8192) char c; }; PERCPU_DEFINE(struct wide, w);'
if [ "$cc" = gcc ] || command -v clang++ >/dev/null; then
	refuse cc 'int start(); PERCPU_DEFINE(int, i) = start();'
	refuse cc 'struct s { s(const s &); }; PERCPU_DEFINE(s, i) = { };'
fi
