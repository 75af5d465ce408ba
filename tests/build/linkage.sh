#!/bin/sh
# SPDX-License-Identifier: MIT
# The shared library has its soname and needs libc alone; it has no thread-local
# storage, no executable stack and no relocations in its text; it never calls
# malloc or the loader.
#
#   linkage.sh SHARED-LIBRARY
set -eu
lib=$1
dynamic=$(LC_ALL=C readelf -W -d "$lib")
sections=$(LC_ALL=C readelf -W -S "$lib")
segments=$(LC_ALL=C readelf -W -l "$lib")

fail() {
	echo "$1"
	echo "$dynamic"
	exit 1
}

echo "$dynamic" | grep -q 'SONAME.*\[libpercpu\.so\.0\]' || fail "soname"
needed=$(echo "$dynamic" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p')
for name in $needed; do
	case $name in
	libc.so.* | libpthread.so.* | libdl.so.* | ld-linux*) ;;
	*) fail "needs $name" ;;
	esac
done
! echo "$dynamic" | grep -q 'STATIC_TLS\|TEXTREL' || fail "STATIC_TLS or TEXTREL"
! echo "$sections" | grep -q ' \.tbss\| \.tdata' || fail "thread-local storage"
# What allocates by itself may need the library, or hold a lock of its own.
! nm -D --undefined-only "$lib" | grep -qw "malloc\|calloc\|realloc\|free\|dlsym\|dlopen" || fail "malloc"
echo "$segments" | grep -q 'GNU_STACK.* RW ' || fail "executable stack"
