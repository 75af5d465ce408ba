#!/bin/sh
# SPDX-License-Identifier: MIT
# percpu bench: --help and --list tell all; a wrong command line is named.
percpu=$1

fail()
{
	echo "$*" >&2
	exit 1
}

# expect STATUS WORD... : the last command's status, and words in its output
expect()
{
	want=$1
	shift
	[ "$status" -eq "$want" ] || fail "exit status $status, not $want: $out"
	for word in "$@"; do
		case $out in
		*"$word"*) ;;
		*) fail "nothing about '$word' in: $out" ;;
		esac
	done
}

out=$("$percpu" bench --help 2>&1) && status=0 || status=$?
expect 0 ops H1 H3 alloc --quick --json --seconds --list --progress taskset
[ "$("$percpu" help bench)" = "$out" ] || fail "help bench is not bench --help"
out=$("$percpu" help nonsense 2>&1 >/dev/null) && status=0 || status=$?
expect 2 "'nonsense'"
out=$("$percpu" bench --list 2>&1) && status=0 || status=$?
expect 0 ops H1 H3 alloc

# Errors leave standard output empty.
out=$("$percpu" bench H9 2>&1 >/dev/null) && status=0 || status=$?
expect 2 "'H9'" ops H1
out=$("$percpu" bench counter --threads 0 2>&1 >/dev/null) && status=0 ||
	status=$?
expect 2 "'--threads'" --quick
out=$("$percpu" bench --fast 2>&1 >/dev/null) && status=0 || status=$?
expect 2 "'--fast'" --quick
out=$("$percpu" bench -xq 2>&1 >/dev/null) && status=0 || status=$?
expect 2 "'-x'" --quick
out=$("$percpu" bench --quick=1 2>&1 >/dev/null) && status=0 || status=$?
expect 2 "'--quick=1'"
out=$("$percpu" bench --seconds 2>&1 >/dev/null) && status=0 || status=$?
expect 2 --seconds value
for s in 0 -1 x 1x 1e9 nan ''; do
	out=$("$percpu" bench --seconds "$s" 2>&1 >/dev/null) && status=0 ||
		status=$?
	expect 2 --seconds "'$s'"
done
out=$("$percpu" bench --quick --seconds 0.001 --json rwlock rwlock |
	grep -c '"rwlock":') && status=0 || status=$?
[ "$out" = 1 ] || fail "an experiment that is named twice is there $out times"
for bad in H9 --fast --seconds; do
	[ -z "$("$percpu" bench "$bad" 2>/dev/null)" ] ||
		fail "an error on standard output: $bad"
done
