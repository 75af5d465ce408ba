#!/bin/sh
# SPDX-License-Identifier: MIT
# percpu info --help explains every option and word; an unknown option is named
# on standard error with status 2.
. "$(dirname "$0")/info-lib.sh"

help=$("$percpu" info --help) || fail "--help exits with $?"
for word in --json --help PERCPU_BACKEND PERCPU_INDEX PERCPU_MISUSE rseq \
	atomic shared index units stride 'exit status'; do
	printf '%s\n' "$help" | grep -q -e "$word" || fail "--help: no $word"
done
[ "$("$percpu" info -h)" = "$help" ] || fail "-h is not --help"

for wrong in --jsn extra -x ''; do
	err=$("$percpu" info "$wrong" 2>&1 >/dev/null)
	[ $? = 2 ] || fail "'$wrong' is no error"
	case $err in
	*"'$wrong'"*--help*) ;;
	*) fail "'$wrong' is answered by: $err" ;;
	esac
	[ -z "$("$percpu" info "$wrong" 2>/dev/null)" ] ||
		fail "'$wrong': text on standard output"
done
