#!/bin/sh
# SPDX-License-Identifier: MIT
# B36: a program or plug-in built with another PERCPU_LINE than the library is
# refused before it runs, with a message that names both; the same ones built
# with the library's are not.
# b36-abi.sh CLIENT HOST PLUGIN GOOD-CLIENT GOOD-PLUGIN LINE
set -u

client=$1 host=$2 plugin=$3 good_client=$4 good_plugin=$5 line=$6

fail() { echo "$*" >&2; exit 1; }

refused() # COMMAND...
{
	out=$("$@" 2>&1)
	status=$?
	# A shell tells of SIGABRT, 6, as 128 + 6.
	[ $status = 134 ] || fail "$*: status $status: $out"
	case $out in
	*"main "*) fail "$*: runs: $out" ;;
	*"built with PERCPU_LINE $line, this library with "*) ;;
	*) fail "$*: $out" ;;
	esac
}

refused "$client"
refused "$host" "$plugin"
"$good_client" | grep -q 'main runs' || fail "the right client does not run"
"$host" "$good_plugin" | grep -q 'main goes on' ||
	fail "the right plug-in does not load"
