#!/bin/sh
# SPDX-License-Identifier: MIT
# What objects take of memory where 256 CPUs are possible, two of them in use,
# is at most a fifth more than where two are possible.
#
#   footprint.sh FAKE-SYS POSSIBLE= FOOTPRINT
set -u
fake=$1
possible=$2
footprint=$3

# Bytes and slots, or why it cannot be told.
few=$("$fake" "${possible}0-1" -- "$footprint") ||
	{ status=$?; echo "$few"; exit $status; }
many=$("$fake" "${possible}0-255" -- "$footprint") ||
	{ status=$?; echo "$many"; exit $status; }
echo "bytes and slots: $few, $many"
[ "${many#* }" = 256 ] || exit 1
[ "${few#* }" -lt 9 ] || { echo "skipped: many CPUs"; exit 77; }
[ "${few% *}" -ge 160000 ] || exit 1
[ $((${many% *} * 5)) -le $((${few% *} * 6)) ]
