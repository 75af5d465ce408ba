#!/bin/sh
# SPDX-License-Identifier: MIT
# Of two libraries of one file name, which a program needs by their paths and
# which have no other name, both are what it started with.
#
#   same-name.sh SOURCE STATIC-LIBRARY
set -eu
source=$1
static=$(realpath "$2")
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
mkdir one two

shared() { # FILE TEXT [LIBRARY]...
	file=$1
	echo "$2" >text.c
	shift 2
	cc -shared -fPIC -Wl,--no-as-needed -o "$file" text.c "$@"
}

# The loader comes to the second after it has come to itself, which libc needs.
shared one/libsame.so 'int one;'
shared two/libsame.so 'int two;'
shared inner.so 'int inner;' two/libsame.so
shared outer.so 'int outer;' ./inner.so
cat >program.c <<'END'
#include <dlfcn.h>
#include <stdbool.h>
#include "startup.h"

int main(void)
{
	return percpu__startup_has(dlsym(RTLD_DEFAULT, "one")) &&
	       percpu__startup_has(dlsym(RTLD_DEFAULT, "two")) ? 0 : 1;
}
END
cc -Wl,--no-as-needed -I"$source/src" -o program program.c one/libsame.so \
	./outer.so "$static" -lpthread -ldl -Wl,--allow-shlib-undefined
./program
