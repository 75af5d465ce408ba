#!/bin/sh
# SPDX-License-Identifier: MIT
# Static variables are right however a program is built: optimised across files,
# without what is not used, with other linkers, position-dependent, with
# sanitizers, with the library inside; what has no business being one does not
# compile or link; what is declared late compiles without a warning.
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
tests=$source/tests/kernel
flags="-Wall -Wextra -Wpedantic -Wconversion -Werror -O2 -I$source/include
	-I$source/tests/support -I$tests"

try() { # LIBRARY FLAG...
	library=$1
	shift
	# shellcheck disable=SC2086  # words
	"$cc" $flags "$@" "$tests/static.c" "$tests/static-other.c" "$library" \
		"-Wl,-rpath,${library%/*}" -lpthread -o "$dir/static" &&
		"$dir/static" || { echo "failed: $cc $*"; exit 1; }
}

has() { # FLAG: the compiler and its linker have it
	echo 'int main(void) { return 0; }' |
		"$cc" "$1" -x c - -o "$dir/way" 2>/dev/null
}

refuse() { # TEXT FLAG...: does not become a program
	printf '#include "static.h"\nint main(void) { %s; }\n' "$1" >"$dir/no.c"
	shift
	# shellcheck disable=SC2086  # words
	if "$cc" $flags "$@" "$dir/no.c" "$shared" -o "$dir/no" 2>"$dir/log"; then
		echo "is built: $(cat "$dir/no.c")"
		exit 1
	fi
}

try "$shared" -fcommon -ffunction-sections -fdata-sections -Wl,--gc-sections
try "$shared" -O0 -fno-pie -no-pie
for way in -flto -fuse-ld=gold -fuse-ld=lld -fsanitize=address; do
	! has "$way" || try "$static" "$way" -ffunction-sections -Wl,--gc-sections
done

# Types of the program's own; another object's variable; a size without operations.
printf 'typedef unsigned long u64;\n#include <percpu/kernel.h>\n' |
	"$cc" -DPERCPU_KERNEL_NO_TYPES -I"$source/include" -x c -fsyntax-only -
"$cc" -O2 -I"$source/include" -fPIC -shared "$tests/static-other.c" \
	-o "$dir/libother.so"
refuse 'this_cpu_inc(elsewhere)' "$dir/libother.so"
refuse 'this_cpu_inc(bytes_elsewhere)' -c

# Declared before it is defined, and after, in C and C++.
case $cc in clang) cxx=clang++ ;; *) cxx=g++ ;; esac
for lang in c c++; do
	case $lang in c++) command -v $cxx >/dev/null || continue ;; esac
	[ $lang = c ] || cc=$cxx
	# shellcheck disable=SC2086  # words
	"$cc" $flags -x $lang -c -o "$dir/declared.o" - <<-END
		#include <percpu/kernel.h>
		struct node { struct node *next; };
		DEFINE_PER_CPU(struct node, node);
		DECLARE_PER_CPU(struct node, node);
		DECLARE_PER_CPU_ALIGNED(struct node, late);
		DEFINE_PER_CPU_ALIGNED(struct node, late);
		DEFINE_PER_CPU_PAGE_ALIGNED(struct node, page);
		DECLARE_PER_CPU_PAGE_ALIGNED(struct node, page);
	END
done
