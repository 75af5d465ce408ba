#!/bin/sh
# SPDX-License-Identifier: MIT
# Gaps, ids beyond the count of CPUs and beyond 1024, lists of another machine
# and damaged lists.
. "$(dirname "$0")/info-lib.sh"

cpu=/sys/devices/system/cpu
node=/sys/devices/system/node
[ -f $cpu/possible ] && [ -f $node/online ] || skip "no /sys"

json "$fake" $cpu/possible=0-255 -- "$percpu" info --json
expect '.cpus.possible == "0-255" and .cpus.gaps == ""'
expect '.policy.units == 256 and (.cpus.ids_exceed_count | not)'

json "$fake" $cpu/possible=0-3,7,900-1023 -- "$percpu" info --json
expect '.cpus.possible == "0-3,7,900-1023" and .cpus.gaps == "4-6,8-899"'
expect '.policy.units == 1024 and .cpus.ids_exceed_count'

json "$fake" $cpu/possible=0-1,5000 $cpu/online=0-1,5000 -- \
	"$percpu" info --json
expect '.policy.units == 5001 and .cpus.gaps == "2-4999"'
expect 'any(.cpus.notes[]; contains("not all CPUs that are on line"))'

# Fewer possible than allowed: what the kernel allows bounds the ids.
json "$percpu" info --json
case $(printf '%s\n' "$json" | jq -r .cpus.allowed) in
0-*)
	json "$fake" $cpu/possible=0 -- "$percpu" info --json
	expect '.policy.units >= 2 and .cpus.possible == "0"'
	expect 'any(.cpus.notes[]; contains("not this kernel"))'
	;;
esac

# One id more than there are CPUs.
json "$fake" $cpu/possible=0-1,3 -- "$percpu" info --json
expect '.cpus.gaps == "2" and .cpus.ids_exceed_count'

for damaged in '' 3-0 x 0-3,x 0-99999999999 -1 1,0; do
	json "$fake" "$cpu/possible=$damaged" "$cpu/online=$damaged" -- \
		"$percpu" info --json
	expect '.cpus.possible == null and .cpus.online == null'
	expect '.cpus.gaps == null and .policy.units >= 1'
done

# More ids than anybody has, in files that are read for each of them.
json "$fake" $cpu/online=0-2000000000 $node/online=0-2000000000 -- \
	timeout 20 "$percpu" info --json
expect '.nodes | length <= 4096'
json "$fake" $node/online=1,3 -- "$percpu" info --json
expect '[.nodes[].id] == [1, 3] and all(.nodes[]; .cpus == null)'
