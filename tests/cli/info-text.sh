#!/bin/sh
# SPDX-License-Identifier: MIT
# percpu info begins with the policy, the thread and the reason, has every
# section, and a number of possible CPUs that agrees with /sys.
. "$(dirname "$0")/info-lib.sh"

out=$("$percpu" info) || fail "exit status $?"
line() { printf '%s\n' "$out" | sed -n "$1p"; }

case $(line 1) in
"slot policy   rseq: "* | "slot policy   atomic: "* | \
"slot policy   shared: "*) ;;
*) fail "first line: $(line 1)" ;;
esac
case $(line 2) in
"this thread   "*": "*) ;;
*) fail "second line: $(line 2)" ;;
esac
for word in index units stride CPUs possible online allowed gaps nodes \
	caches line page 'huge pages' release libc rseq mm_cid membarrier \
	'what would make it faster'; do
	printf '%s\n' "$out" | grep -q "^ *$word" || fail "no line '$word'"
done

possible=$(cat /sys/devices/system/cpu/possible 2>/dev/null) || exit 0
printf '%s\n' "$out" | grep -q "^  possible    $possible (" ||
	fail "possible is not $possible"
