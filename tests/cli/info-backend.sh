#!/bin/sh
# SPDX-License-Identifier: MIT
# PERCPU_BACKEND and PERCPU_INDEX choose, are named as the reason and advised
# against; a word that means nothing is named and changes nothing.
. "$(dirname "$0")/info-lib.sh"

json "$percpu" info --json
default=$(printf '%s\n' "$json" | jq -c .policy)

for word in atomic shared; do
	json env PERCPU_BACKEND=$word "$percpu" info --json
	expect '.policy.in_force == "'$word'" and .policy.thread == "'$word'"'
	expect '.policy.why | contains("PERCPU_BACKEND")'
	expect 'any(.advice[]; contains("PERCPU_BACKEND='$word'"))'
done

for word in auto rseq ''; do
	json env PERCPU_BACKEND=$word "$percpu" info --json
	expect ".policy == $default"
done

err=$(PERCPU_BACKEND=garbage "$percpu" info 2>&1 >/dev/null)
case $err in
*PERCPU_BACKEND=garbage*) ;;
*) fail "garbage is not named: $err" ;;
esac
json env PERCPU_BACKEND=garbage "$percpu" info --json 2>/dev/null
expect ".policy == $default"
expect 'any(.advice[]; contains("garbage"))'

json env PERCPU_INDEX=cid "$percpu" info --json
expect '(.policy.index == "cid") ==
	(.kernel.mm_cid and .policy.in_force == "rseq")'
json env PERCPU_INDEX=cid PERCPU_BACKEND=atomic "$percpu" info --json
expect '.policy.index == "cpu"'
expect 'any(.advice[]; contains("PERCPU_INDEX=cid cannot be had"))'
