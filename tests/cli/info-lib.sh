# SPDX-License-Identifier: MIT
# shellcheck shell=sh disable=SC2034  # for those who source it
# info-lib.sh: what the info-*.sh share; each is run as TEST PERCPU FAKE_SYS.
set -u

percpu=$1
fake=$2
# Where /proc is hidden, the loader cannot find the library by $ORIGIN.
LD_LIBRARY_PATH=$(dirname "$percpu")/../src
export LD_LIBRARY_PATH
unset PERCPU_BACKEND PERCPU_INDEX GLIBC_TUNABLES

fail() { echo "$*" >&2; exit 1; }
skip() { echo "skipped: $*"; exit 77; }
need() { command -v "$1" >/dev/null || skip "no $1"; }

# json COMMAND...: its output, which must succeed and be JSON, into $json.
json()
{
	need jq
	json=$("$@")
	status=$?
	[ $status != 77 ] || skip "$json"
	[ $status = 0 ] || fail "$* exits with $status"
	printf '%s\n' "$json" | jq -e . >/dev/null || fail "$*: no JSON"
}

# expect FILTER: jq's FILTER holds for $json.
expect()
{
	printf '%s\n' "$json" | jq -e "$1" >/dev/null || {
		printf '%s\n' "$json" >&2
		fail "does not hold: $1"
	}
}
