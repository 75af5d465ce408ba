/* SPDX-License-Identifier: MIT */
/*
 * counter_init.c: a counter's per-CPU part, and the batch.
 *
 * A static counter starts without one. Whoever gives it one, a thread or a
 * handler, first replaces c->part, from 0; then raises c->most from 0, which is
 * what inlined adds look at first. Adds that have seen no part go to c->early,
 * before and after: it is in every sum and read, so nothing moves at the change
 * and nothing can be lost.
 */
#include "counter.h"
#include "counter_many.h"

#include "exit.h"
#include "misuse.h"
#include "reserve.h"
#include "retire.h"
#include "slot.h"
#include "topology.h"

#include <errno.h>
#include <percpu/alloc.h>

#define BATCH_LEAST 32

int32_t percpu_counter_batch = BATCH_LEAST;
static int32_t chosen = BATCH_LEAST; /* what we last made it */
static int32_t next = BATCH_LEAST;   /* the same, or what we are about to */

/*
 * What the program has made it stays. In a child of fork another thread may
 * have been at this: then the batch is what was chosen, or what was next.
 */
void percpu__counter_init_follow(unsigned online)
{
	int32_t twice = 2 * (int32_t)online;
	int32_t to = twice > BATCH_LEAST ? twice : BATCH_LEAST;
	int32_t was = __atomic_load_n(&percpu_counter_batch, __ATOMIC_RELAXED);

	if (was != next)
		was = chosen;
	__atomic_store_n(&chosen, was, __ATOMIC_RELEASE);
	__atomic_store_n(&next, to, __ATOMIC_RELEASE);
	__atomic_compare_exchange_n(&percpu_counter_batch, &was, to, false,
				    __ATOMIC_RELEASE, __ATOMIC_RELAXED);
	__atomic_store_n(&chosen, to, __ATOMIC_RELEASE);
}

static void __attribute__((constructor)) choose_batch(void)
{
	percpu__counter_init_follow(percpu__topology_online());
}

/* Parts for counters that have none where nothing may be allocated. */
static struct percpu__reserve reserve = {
	.size = sizeof(struct percpu__counter_slot), .align = sizeof(uint64_t)
};

static void *take(void)
{
	void *part = percpu__reserve_ask(&reserve);

	percpu__counter_retire_agree(part);
	return part;
}

/* At dlclose. */
static void __attribute__((destructor(102))) release(void)
{
	if (!percpu__exit_keeps())
		percpu__reserve_empty(&reserve);
}

static void *new_part(size_t n)
{
	size_t size = sizeof(struct percpu__counter_slot);
	void *part;

	if (n > SIZE_MAX / size)
		return NULL;
	part = percpu_alloc(n * size, sizeof(uint64_t));
	percpu__counter_retire_agree(part);
	return part;
}

static void free_part(void *part)
{
	if (part == NULL)
		return;
	percpu__retire_disagree(part);
	percpu_free(part);
}

/*
 * Make @part @c's, and return it. If another came first return that, NULL if a
 * limited_add keeps it away; @part goes to the reserve, or nowhere: if there is
 * no room, and this may be a handler, 24 bytes a slot are lost.
 */
static void *give(struct percpu_counter *c, void *part, bool in_handler)
{
	uintptr_t word = __atomic_load_n(&c->part, __ATOMIC_RELAXED);

	if (percpu__counter_hold_none(word) &&
	    __atomic_compare_exchange_n(&c->part, &word, (uintptr_t)part, false,
					__ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		return part;
	if (!percpu__reserve_give(&reserve, part) && !in_handler)
		free_part(part);
	return percpu__counter_part(c);
}

/*
 * Whether @c has no part and may get one now: not once it was destroyed, since
 * nobody would give back what a late add or sync gave it.
 */
static bool wants(const struct percpu_counter *c)
{
	return !c->destroyed && percpu__counter_hold_none(__atomic_load_n(
					&c->part, __ATOMIC_RELAXED));
}

void *percpu__counter_init_attach(struct percpu_counter *c)
{
	void *part;

	if (!wants(c))
		return percpu__counter_part(c);
	part = take();
	return part != NULL ? give(c, part, true) : NULL;
}

void *percpu__counter_init_obtain(struct percpu_counter *c)
{
	void *part;

	if (!wants(c))
		return percpu__counter_part(c);
	percpu__reserve_supply(&reserve);
	part = new_part(1);
	part = part != NULL ? give(c, part, false) : NULL;
	if (part != NULL)
		percpu__counter_widen(c, 1);
	return part;
}

void percpu_counter_sync(struct percpu_counter *c)
{
	void *part = percpu__counter_init_obtain(c);

	if (part == NULL)
		return;
	percpu__reserve_supply(&reserve);
	percpu__counter_carry(part);
}

static void start(struct percpu_counter *c, void *part, int64_t v,
		  uint32_t batch)
{
	c->inner = 0;
	c->destroyed = 0;
	c->part = (uintptr_t)part;
	c->early = v;
	c->most = part != NULL ? batch : 0;
}

int percpu_counter_init_many(struct percpu_counter *c, int64_t v, size_t n)
{
	size_t size = sizeof(struct percpu__counter_slot);
	int32_t batch =
		__atomic_load_n(&percpu_counter_batch, __ATOMIC_RELAXED);
	char *part = n != 0 ? new_part(n) : NULL;

	percpu__reserve_supply(&reserve);
	for (size_t i = 0; i < n; i++) {
		start(&c[i], part != NULL ? part + i * size : NULL, v,
		      batch > 1 ? (uint32_t)batch : 1);
		if (part != NULL)
			c[i].inner = percpu__many_inner(i, n);
	}
	return part != NULL || n == 0 ? 0 : -ENOMEM;
}

int percpu_counter_init(struct percpu_counter *c, int64_t v)
{
	return percpu_counter_init_many(c, v, 1);
}

static void end(struct percpu_counter *c)
{
	if (percpu__many_leads(c->inner))
		free_part(percpu__counter_part(c));
	start(c, NULL, 0, 0);
	c->destroyed = 1;
}

void percpu_counter_destroy(struct percpu_counter *c)
{
	if (c->inner == 0)
		end(c);
	else
		percpu__misuse(
			"",
			"percpu_counter_destroy(%p): the counter is one of several, which percpu_counter_destroy_many() destroys",
			(void *)c);
}

void percpu_counter_destroy_many(struct percpu_counter *c, size_t n)
{
	if (n > 0 && !percpu__many_whole(&c->inner, sizeof(*c), n)) {
		percpu__many_misuse("percpu_counter_destroy_many", c, n);
		return;
	}
	while (n > 0)
		end(&c[--n]);
}
