#!/bin/sh
# SPDX-License-Identifier: MIT
# Whatever command prints: output that cannot be written is said on standard
# error, with status 1.
percpu=$1

fail()
{
	echo "$*" >&2
	exit 1
}

[ -c /dev/full ] || { echo 'skipped: no /dev/full'; exit 77; }
for command in --help --version info 'info --json' 'info --help' \
	'bench --help' 'bench --list' 'bench --quick --seconds 0.001 rwlock' \
	'bench --quick --seconds 0.001 --json rwlock'; do
	# shellcheck disable=SC2086  # words
	err=$("$percpu" $command 2>&1 >/dev/full) && status=0 || status=$?
	[ "$status" = 1 ] || fail "$command: exit status $status, not 1"
	case $err in
	*"percpu: standard output: "*) ;;
	*) fail "$command: nothing about it: $err" ;;
	esac
done
