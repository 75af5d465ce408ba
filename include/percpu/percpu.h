/* SPDX-License-Identifier: MIT */
#ifndef PERCPU_PERCPU_H
#define PERCPU_PERCPU_H
/*
 * percpu.h: per-CPU data for Linux programs.
 *
 * This header includes all of these; each of them also stands alone. What they
 * include in turn, arch/ and *_c.h among them, is theirs.
 *
 *   base.h    line size, the PERCPU tag, the agreement of headers and library
 *   cpu.h     CPU ids, slots, policy: what this machine and this thread are
 *   alloc.h   handles: one object per CPU
 *   ops.h     operations on this CPU's object, and sums over all of them
 *   multi.h   several adds at once
 *   section.h how to write operations of one's own
 *   stack.h   bounded stacks of words
 *   static.h  variables that a program has from its start
 *   counter.h one number for all CPUs, its total and a cheap estimate of it
 *   counter_tree.h
 *             the same for very many CPUs, with a better estimate
 *   ref.h     reference counts
 *   cache.h   caches of items, with what all CPUs share behind
 *   rwlock.h  locks that many read and few write
 *   call.h    functions that run on a CPU that the caller names
 *   hotplug.h CPUs that come and go
 *   twins.h   the same operations as plain functions, for other languages
 *
 * Errors: functions that return int return 0 or -errno, functions that return
 * a pointer return NULL and set errno; on an error nothing has changed, unless
 * a comment says otherwise. Nobody looks for a NULL where no comment allows it.
 */
#include <percpu/alloc.h>
#include <percpu/base.h>
#include <percpu/cache.h>
#include <percpu/call.h>
#include <percpu/counter.h>
#include <percpu/counter_tree.h>
#include <percpu/cpu.h>
#include <percpu/hotplug.h>
#include <percpu/multi.h>
#include <percpu/ops.h>
#include <percpu/ref.h>
#include <percpu/rwlock.h>
#include <percpu/section.h>
#include <percpu/stack.h>
#include <percpu/static.h>
#include <percpu/twins.h>

#endif
