#!/bin/sh
# SPDX-License-Identifier: MIT
# B01: who owns the thread's area is told as it is at run time: libc; this
# library, where a tunable keeps libc from it; nobody, under an emulator or
# valgrind.
. "$(dirname "$0")/info-lib.sh"

json "$percpu" info --json
printf '%s\n' "$json" | jq -e '.kernel.rseq == "yes" and
	.kernel.libc_rseq_size != 0' >/dev/null || skip "no rseq by libc here"
expect '.policy.in_force == "rseq" and .policy.thread == "rseq"'
expect '.policy.why | startswith("libc registers")'

json env GLIBC_TUNABLES=glibc.pthread.rseq=0 "$percpu" info --json
expect '.kernel.libc_rseq_size == 0'
expect '.policy.in_force == "rseq" and .policy.thread == "rseq"'
expect '.policy.why | contains("libpercpu registers")'
expect 'any(.advice[]; contains("GLIBC_TUNABLES"))'

fallback()
{
	command -v "$1" >/dev/null || { echo "no $1"; return; }
	json "$@" "$percpu" info --json
	expect '.kernel.rseq == "no"'
	expect '.policy.in_force == "atomic" and .policy.thread == "atomic"'
	expect '.policy.why | contains("no restartable sequences")'
	expect 'any(.advice[]; contains("no rseq call"))'
}
fallback valgrind -q --error-exitcode=9
[ "$(uname -m)" != x86_64 ] || fallback qemu-x86_64
