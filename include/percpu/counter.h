/* SPDX-License-Identifier: MIT */
#ifndef PERCPU_COUNTER_H
#define PERCPU_COUNTER_H
/*
 * counter.h: one number that all CPUs change, and its estimate in one piece.
 *
 *   static struct percpu_counter used = PERCPU_COUNTER_INITIALIZER(0);
 *
 *   percpu_counter_add(&used, bytes);          on this CPU, as a rule
 *   percpu_counter_read(&used)                 cheap; off by up to
 *   percpu_counter_error_bound(&used)
 *   percpu_counter_sum(&used)                  exact; looks at every slot
 *
 * Each CPU counts in its slot. When a slot is a batch away from what it last
 * told, it tells: it carries the difference to a word for all. So a read looks
 * at that word, and CPUs meet once in a batch.
 *
 * Numbers are int64_t and wrap, each modulo 2^64: a sum is always the exact
 * total modulo 2^64. A batch below 1 is 1: each add goes to the word for all.
 *
 * Errors: but for init, none. Ordering: none.
 * Context: adds anywhere, in signal handlers and forked children too. The rest
 * in threads, since it may allocate or free; but what reads a counter that has
 * its per-CPU part, anywhere. Init and destroy never at the same time as other
 * use of the counter.
 * Every call ends in bounded time, whatever becomes of other threads, but that
 * exchange, set and limited_add begin again when another such call got ahead,
 * and what sums when percpu_cpus_refresh() has moved a slot meanwhile. Destroy
 * waits for a refresh that is about to.
 * Source: Linux, lib/percpu_counter.c.
 */
#include <percpu/arch.h>
#include <percpu/base.h>
#include <stdbool.h>

PERCPU__DECLS_BEGIN

/*
 * All is the library's own. Adds read it and, once it has its per-CPU part,
 * none writes it: so it may lie beside anything, and anywhere in a line.
 *
 * most   the largest batch that was used; 0: no per-CPU part yet
 * inner  which of several that are one object; 0: it is alone
 * destroyed
 *        whether it was: then it gets no part but from init
 * part   the per-CPU part: a handle; odd: there are calls that keep it away
 * early  what was added before there was one, and the first value
 */
struct percpu_counter {
	uint32_t most;
	uint16_t inner;
	uint16_t destroyed;
	uintptr_t part;
	int64_t early;
};

/*
 * For a static counter that starts with @v. It needs no init: adds are atomic
 * and go to the struct, at several times the cost, until it gets its per-CPU
 * part: from an add, if the library has one at hand, since an add may be in a
 * handler and allocates nothing; else from the first call that reads, sets or
 * syncs it. So a program whose threads add before anybody reads calls sync
 * once, at its start. Nothing is lost at the change. A counter that is all zero
 * is the same, of 0.
 */
#define PERCPU_COUNTER_INITIALIZER(v)                                          \
	{                                                                      \
		0, 0, 0, 0, (v)                                                \
	}

/*
 * The batch of those calls that take none; a program may set it. At the start
 * of the program max(32, 2 x the CPUs that are on line), and so after each
 * percpu_cpus_refresh() that finds it as the library left it.
 */
extern int32_t percpu_counter_batch;

/*
 * Make @c a counter of @v, or @c[0] to @c[@n - 1], whose per-CPU parts are one
 * object of 24 x @n bytes. Returns 0; -ENOMEM if memory is short, or that is
 * more than percpu_max_size(): then they are as PERCPU_COUNTER_INITIALIZER(@v)
 * has them, and may be destroyed. Context: any thread.
 */
int percpu_counter_init(struct percpu_counter *c, int64_t v);
int percpu_counter_init_many(struct percpu_counter *c, int64_t v, size_t n);

/*
 * Give back what @c, or each of @n, has; they are counters of 0 then, as if
 * PERCPU_COUNTER_INITIALIZER(0), but that only init gives them a per-CPU part:
 * destroying twice, a late add and a late sync are harmless. What init_many
 * made, destroy_many destroys, from the same @c with the same @n, or any that
 * are alone. All else is a mistake of the program's, and so is destroy on one
 * of several: a message, abort. (Of 32767 or more, that there are as many.)
 * Context: any thread.
 */
void percpu_counter_destroy(struct percpu_counter *c);
void percpu_counter_destroy_many(struct percpu_counter *c, size_t n);

/* Add, as a function; the way out of the inlined ones. */
void percpu_counter_add_i64(struct percpu_counter *c, int64_t v, int32_t batch);

/*
 * Add @v to @c, on this CPU unless that takes the slot @batch or more from what
 * it has told. A larger batch makes the estimate of this counter worse for
 * ever: see percpu_counter_error_bound().
 */
PERCPU__INLINE void percpu_counter_add_batch(struct percpu_counter *c,
					     int64_t v, int32_t batch)
{
	/* Of a batch below 1 it is huge: the library sees to that. */
	uint32_t reach = (uint32_t)batch - 1;
	int64_t four; /* what the sequence compares must not wrap */
	void PERCPU *h;

	if (__builtin_expect(
		    reach >= __atomic_load_n(&c->most, __ATOMIC_ACQUIRE) ||
			    __builtin_mul_overflow(v, (int64_t)4, &four),
		    0)) {
		percpu_counter_add_i64(c, v, batch);
		return;
	}
	h = (void PERCPU *)__atomic_load_n(&c->part, __ATOMIC_RELAXED);
	if (!percpu__try_counter_add(h, (uint64_t)v, reach))
		percpu_counter_add_i64(c, v, batch);
}

/* The same with the default batch; sub takes @v away, inc and dec mean 1. */
PERCPU__INLINE void percpu_counter_add(struct percpu_counter *c, int64_t v)
{
	percpu_counter_add_batch(
		c, v, __atomic_load_n(&percpu_counter_batch, __ATOMIC_RELAXED));
}

PERCPU__INLINE void percpu_counter_sub(struct percpu_counter *c, int64_t v)
{
	percpu_counter_add(c, (int64_t)(0 - (uint64_t)v));
}

PERCPU__INLINE void percpu_counter_inc(struct percpu_counter *c)
{
	percpu_counter_add(c, 1);
}

PERCPU__INLINE void percpu_counter_dec(struct percpu_counter *c)
{
	percpu_counter_add(c, -1);
}

/*
 * An estimate, below zero too: the sum at that moment, to within
 * percpu_counter_error_bound(); read_positive says 0 where it is below.
 */
int64_t percpu_counter_read(const struct percpu_counter *c);
int64_t percpu_counter_read_positive(const struct percpu_counter *c);

/*
 * The total. It counts each add that was complete before the call, none that
 * began after it, and of those in between some: so it never goes back while all
 * adds have one sign. While some have the other it may be off by those, and
 * below zero; sum_positive says 0 then. Exchanges, and adds between them, that
 * come while it runs may be seen in part. Cost: O(percpu_nr_slots()).
 */
int64_t percpu_counter_sum(const struct percpu_counter *c);
int64_t percpu_counter_sum_positive(const struct percpu_counter *c);

/*
 * What |read - sum| never exceeds, however many threads stand in the middle of
 * an add: 2 x (the largest batch ever used - 1) x percpu_nr_slots(); half of it
 * while none does. 0 without a per-CPU part, which the first read gives a
 * static counter: ask after that.
 */
int64_t percpu_counter_error_bound(const struct percpu_counter *c);

/*
 * Whether the counter is less than, equal to or greater than @v: -1, 0, 1. From
 * a read where that is far enough away, else from a sum.
 * Cost: O(percpu_nr_slots()) within percpu_counter_error_bound() of @v.
 */
int percpu_counter_compare(const struct percpu_counter *c, int64_t v);

/*
 * Make the sum @v, and return what it was: each add is in exactly one of what
 * exchanges return and the sums after, so a loop that reads and resets loses
 * nothing. set is the same without the answer. Slots stay as they are, but that
 * this CPU's is carried, so that a read of a counter which one CPU uses is @v.
 * Ordering: exchanges of one counter are ordered among each other.
 * Cost: O(percpu_nr_slots()).
 */
int64_t percpu_counter_exchange(struct percpu_counter *c, int64_t v);
void percpu_counter_set(struct percpu_counter *c, int64_t v);

/*
 * Add @v unless that takes the sum beyond @limit: above it for a positive @v,
 * below it for a negative one. True if it was added, or @v is 0. Calls of it
 * never take the sum beyond @limit together, however many there are at once.
 * Exchange and set come before or after it. Of other adds it counts those that
 * were complete before the call; of those that come in between it may miss
 * some, which then may take the sum beyond.
 * Cost: O(percpu_nr_slots()) near the limit; writes to a word for all CPUs.
 */
bool percpu_counter_limited_add(struct percpu_counter *c, int64_t limit,
				int64_t v);

/*
 * Give @c its per-CPU part if it has none and memory is to be had, and carry
 * what this CPU's slot has not told.
 */
void percpu_counter_sync(struct percpu_counter *c);

PERCPU__DECLS_END
#endif
