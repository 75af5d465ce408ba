#!/bin/sh
# SPDX-License-Identifier: MIT
# Totals are exact where /sys names other CPUs than the machine has.
# usage: ids.sh TOTALS LIST   LIST: 0-255 (more) or 0 (fewer)
set -eu

enter="unshare -m"
$enter true 2>/dev/null || enter="unshare -rm"
$enter true 2>/dev/null || { echo "skipped: unshare is refused"; exit 77; }

list=$(mktemp)
trap 'rm -f "$list"' EXIT
echo "$2" >"$list"

case $2 in
0) set -- taskset -c 0 "$1" -w -s 1 mixed ;;
*) set -- "$1" -s 256 "${RSEQ:-rseq}" ;;
esac
$enter sh -c '
	mount --bind "$0" /sys/devices/system/cpu/possible || exit 77
	exec "$@"' "$list" "$@"
