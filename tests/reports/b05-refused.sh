#!/bin/sh
# SPDX-License-Identifier: MIT
# b05-refused.sh: totals are exact whatever a filter answers, and without /proc.
#
# Report: DynamoRIO 3848, moby 41158 and 40731, scylladb 7661, tcmalloc 214,
# gvisor 267. Only ENOSYS was foreseen, and the fallback read /proc.
# usage: b05-refused.sh REFUSE TOTALS RSEQ   RSEQ: the mode with rseq
# shellcheck disable=SC2016,SC2086 # inner shells expand; $enter is words
set -eu

refuse=$1
totals=$2
mode=$3

check() { # MODE COMMAND...
	want=$1
	shift
	echo "$want: $*"
	"$@" -n 3000 "$want"
}

check "$mode" "$totals"
for error in EPERM ENOSYS EINVAL; do
	check atomic "$refuse" rseq=$error -- "$totals"
	check "$mode" "$refuse" membarrier=$error -- "$totals"
	check atomic "$refuse" rseq=$error membarrier=$error -- "$totals"
done
# Libc believes that each thread is registered; nothing keeps its area.
check atomic "$refuse" rseq=SUCCESS -- "$totals"

enter="unshare -m"
$enter true 2>/dev/null || enter="unshare -rm"
$enter true 2>/dev/null || exit 0
check "$mode" $enter sh -c '
	mount -t tmpfs none /proc || exit 77
	exec "$0" "$@"' "$totals"
check atomic $enter sh -c '
	mount -t tmpfs none /proc || exit 77
	exec "$0" rseq=EPERM membarrier=EPERM -- "$@"' "$refuse" "$totals"
