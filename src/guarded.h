/* SPDX-License-Identifier: MIT */
#ifndef PERCPU_SRC_GUARDED_H
#define PERCPU_SRC_GUARDED_H
/*
 * guarded.h: the guarded add of percpu/base.h as objects with a mode use it in
 * the library, after their inlined one has stored nothing.
 */
#include "section.h"

/*
 * Add @v to this thread's slot of g->handle where (g->word & mask) is 0:
 * PERCPU__COMMITTED. Nothing is added where it is not, PERCPU__MISSED; and with
 * any other answer, where this thread runs no section or each was aborted. The
 * caller then changes the word itself, by one compare-and-swap. Safe in signal
 * handlers.
 */
enum percpu__ran percpu__guarded_add(const struct percpu__guarded *g,
				     uint64_t mask, uint64_t v);

#endif
