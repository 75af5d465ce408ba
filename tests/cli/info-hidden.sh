#!/bin/sh
# SPDX-License-Identifier: MIT
# With an empty /sys, an empty /proc, or both, what cannot be known is unknown
# and everything else is still told.
. "$(dirname "$0")/info-lib.sh"

for hidden in /sys= /proc= '/sys= /proc='; do
	json "$fake" $hidden -- "$percpu" info --json
	expect '.policy.units >= 1 and .cpus.allowed != null'
	case $hidden in
	/proc=) expect '.cpus.possible != null'; continue ;;
	esac
	expect '.cpus.possible == null and .cpus.online == null'
	expect '.cpus.gaps == null and .nodes == [] and .caches == []'
	expect '.memory.transparent_hugepage == null and .memory.line > 0'
	expect 'any(.cpus.notes[]; contains("/sys does not list"))'
	out=$("$fake" $hidden -- "$percpu" info) || fail "exit status $?"
	[ "$(printf '%s\n' "$out" | grep -c unknown)" -ge 5 ] ||
		fail "too few unknowns: $out"
done
