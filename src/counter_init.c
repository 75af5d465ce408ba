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

#include "slot.h"
#include "topology.h"

#include <errno.h>
#include <percpu/alloc.h>

#define BATCH_LEAST 32

int32_t percpu_counter_batch = BATCH_LEAST;

static void __attribute__((constructor)) choose_batch(void)
{
	int32_t twice = 2 * (int32_t)percpu__topology_online();

	if (twice > BATCH_LEAST)
		percpu_counter_batch = twice;
}

static void *new_part(size_t n)
{
	size_t size = sizeof(struct percpu__counter_slot);

	if (n > SIZE_MAX / size)
		return NULL;
	return percpu_alloc(n * size, size);
}

void *percpu__counter_attach(struct percpu_counter *c, bool allocate)
{
	void *part = allocate ? new_part(1) : NULL;
	uintptr_t none = 0;

	if (part == NULL)
		return NULL;
	if (!__atomic_compare_exchange_n(&c->part, &none, (uintptr_t)part,
					 false, __ATOMIC_ACQ_REL,
					 __ATOMIC_ACQUIRE)) {
		percpu_free(part);
		return percpu__counter_part(c);
	}
	return part;
}

void percpu_counter_sync(struct percpu_counter *c)
{
	void *part = percpu__counter_part(c);

	if (part == NULL)
		part = percpu__counter_attach(c, true);
	if (part == NULL)
		return;
	percpu__counter_widen(c, 1);
	percpu__counter_carry(part);
}

static void start(struct percpu_counter *c, void *part, int64_t v,
		  int32_t batch)
{
	c->inner = 0;
	c->part = (uintptr_t)part;
	c->early = v;
	c->most = part != NULL ? batch : 0;
}

int percpu_counter_init_many(struct percpu_counter *c, int64_t v, size_t n)
{
	size_t size = sizeof(struct percpu__counter_slot);
	int32_t batch = percpu_counter_batch > 1 ? percpu_counter_batch : 1;
	char *part = n != 0 ? new_part(n) : NULL;

	for (size_t i = 0; i < n; i++) {
		start(&c[i], part != NULL ? part + i * size : NULL, v, batch);
		c[i].inner = part != NULL && i > 0;
	}
	return part != NULL || n == 0 ? 0 : -ENOMEM;
}

int percpu_counter_init(struct percpu_counter *c, int64_t v)
{
	return percpu_counter_init_many(c, v, 1);
}

void percpu_counter_destroy(struct percpu_counter *c)
{
	void *part = percpu__counter_part(c);

	if (c->inner == 0)
		percpu_free(part);
	start(c, NULL, 0, 0);
}

void percpu_counter_destroy_many(struct percpu_counter *c, size_t n)
{
	while (n > 0)
		percpu_counter_destroy(&c[--n]);
}
