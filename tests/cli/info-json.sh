#!/bin/sh
# SPDX-License-Identifier: MIT
# percpu info --json is one object with every key, and agrees with itself.
. "$(dirname "$0")/info-lib.sh"

json "$percpu" info --json
expect 'keys == ["advice", "caches", "cpus", "kernel", "libc", "memory",
	"nodes", "policy"]'
expect '.policy | keys == ["in_force", "index", "max_size", "stride",
	"thread", "units", "why"]'
expect '.cpus | keys == ["allowed", "gaps", "ids_exceed_count", "notes",
	"nr_ids", "online", "possible", "this"]'
expect '.memory | keys == ["line", "page_size", "percpu_line",
	"transparent_hugepage"]'
expect '.kernel | keys == ["libc_rseq_size", "membarrier",
	"membarrier_rseq", "mm_cid", "release", "rseq", "rseq_feature_size"]'
expect '.policy.units >= 1 and .policy.stride >= .policy.max_size'
expect '.policy.units == .cpus.nr_ids or .policy.index == "cid"'
expect '.policy.stride % .memory.page_size == 0'
expect '.cpus.this < .cpus.nr_ids'
expect '.kernel.release == "'"$(uname -r)"'"'
expect '.memory.page_size == '"$(getconf PAGESIZE)"
expect 'all(.caches[]; .level >= 1 and (.cpus | length) >= 1)'
