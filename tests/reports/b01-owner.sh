#!/bin/sh
# SPDX-License-Identifier: MIT
# b01-owner.sh: whoever owns rseq, totals are exact and the mode is told right.
#
# Report: google/tcmalloc 144 and 158, docker-library/mongo 723, compudj/librseq
# 20. With libc as the owner of each thread's area the per-CPU mode was off and
# said to be on, or registration failed.
#
# usage: b01-owner.sh TOTALS RSEQ   RSEQ: the mode where nothing forbids it
set -eu

run() { # MODE COMMAND...: its first line says mode and reason
	mode=$1
	shift
	out=$("$@" "$mode")
	echo "$out"
}

told() { # REASON
	case $out in
	*"$1"*) ;;
	*) echo "the reason does not say '$1'" && exit 1 ;;
	esac
}

run "$2" "$1" -n 5000
[ "$2" != rseq ] || told "libc registers"
run "$2" env GLIBC_TUNABLES=glibc.pthread.rseq=0 "$1" -n 5000
[ "$2" != rseq ] || told "libpercpu registers"
# Valgrind runs one thread at a time and, left to itself, forgets the others.
# A valgrind older than the compiler cannot read what that wrote.
if command -v valgrind >/dev/null &&
	! valgrind -q "$1" 2>&1 | grep -q "debuginfo reader"; then
	run atomic valgrind -q --fair-sched=yes --error-exitcode=1 "$1" -n 300
	[ "$2" != rseq ] || told "kernel has no"
fi
if command -v "qemu-$(uname -m)" >/dev/null; then
	run atomic "qemu-$(uname -m)" "$1" -n 500
	[ "$2" != rseq ] || told "kernel has no"
fi
