#!/bin/sh
# SPDX-License-Identifier: MIT
# PERCPU_DEBUG without a sanitizer: a write beyond an object's end is named when
# the object is freed, a write after that when it leaves the quarantine, with
# slot and offset; PERCPU_MISUSE=warn goes on; an unknown word is named once.
#
#   poison.sh MISTAKES
set -eu
mistakes=$1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

# say MISTAKE HOW WHAT: under PERCPU_DEBUG=HOW it ends with 0 and says WHAT, or
# nothing if that is empty; without PERCPU_MISUSE=warn it aborts then.
say() {
	PERCPU_DEBUG=$2 PERCPU_MISUSE=warn "$mistakes" "$1" >"$dir/out" 2>&1 ||
		{ echo "$1, $2 does not go on"; cat "$dir/out"; exit 1; }
	if [ -z "$3" ]; then
		grep -v '^[0-9]*$' "$dir/out" || return 0
		echo "$1, $2: not silent"
		exit 1
	fi
	grep -q "$3" "$dir/out" || { echo "$1, $2: $(cat "$dir/out")"; exit 1; }
	[ "$(wc -l <"$dir/out")" = 1 ] || { cat "$dir/out"; exit 1; }
}

aborts() {
	if (PERCPU_DEBUG=$2 "$mistakes" "$1") >/dev/null 2>&1; then
		echo "$1, $2: does not abort"
		exit 1
	fi
}

over='of 16 bytes, was written to beyond its end: offset 16 of slot '
freed='of 16 bytes, was written to after it was freed: offset '
slot=$(($(getconf _NPROCESSORS_CONF) - 1))

say none all ''
say none poison ''
say none all,quarantine=16k ''
say none quarantine=0 ''
say none '' ''
say write-over all "$over"
say write-over poison "$over"
say write-over 1 "$over"
say write-over quarantine=64k ''
say write-shared all "$over$((slot + 1));"
say add-over all "$over"
say write-odd all 'of 5 bytes, .* beyond its end: offset 5 of slot 0;'
say write-freed all "${freed}8 of slot $slot;"
say write-freed quarantine=1m,poison "${freed}8 of slot $slot;"
say zero-freed all "${freed}0 of slot $slot;"
say add-freed all "${freed}8 of slot "
say read-over all ''
aborts write-over all
aborts write-freed all

say none 'pioson' "^libpercpu: PERCPU_DEBUG: 'pioson' .* poison, quarantine"
say none 'all,quarantine=7x' "'quarantine=7x'"
