/* SPDX-License-Identifier: MIT */
#ifndef BENCH_H2_H
#define BENCH_H2_H
/*
 * h2.h: the call descriptor of Linux in 2017 and the queue that it is put on.
 */
#include "compare.h"

#include <percpu/percpu.h>

#define H2_CPUS 2

#define H2_INLINE static inline __attribute__((always_inline))

/* Nothing asked for an alignment of more than 8. */
struct h2_csd {
	struct h2_csd *next;
	void (*func)(void *info);
	void *info;
	unsigned flags;
};

enum { H2_LOCKED = 1 };

/* One for each CPU, on lines of its own. */
struct h2_queue {
	struct h2_csd *head;
} HARNESS_APART;

H2_INLINE void h2_pause(void)
{
#if defined(__x86_64__)
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ volatile("isb" : : : "memory");
#endif
}

H2_INLINE bool h2_in_flight(const struct h2_csd *c)
{
	return (__atomic_load_n(&c->flags, __ATOMIC_ACQUIRE) & H2_LOCKED) != 0;
}

/* @c is not in flight. */
H2_INLINE void h2_queue(struct h2_queue *q, struct h2_csd *c,
			void (*func)(void *), void *info)
{
	struct h2_csd *head = __atomic_load_n(&q->head, __ATOMIC_RELAXED);

	__atomic_store_n(&c->flags, H2_LOCKED, __ATOMIC_RELAXED);
	c->func = func;
	c->info = info;
	do
		__atomic_store_n(&c->next, head, __ATOMIC_RELAXED);
	while (!__atomic_compare_exchange_n(
		&q->head, &head, c, true, __ATOMIC_RELEASE, __ATOMIC_RELAXED));
}

/* Run what is on @q, if anything. */
H2_INLINE void h2_serve(struct h2_queue *q)
{
	struct h2_csd *c;

	if (__atomic_load_n(&q->head, __ATOMIC_RELAXED) == NULL)
		return;
	c = __atomic_exchange_n(&q->head, NULL, __ATOMIC_ACQUIRE);
	while (c != NULL) {
		struct h2_csd *next =
			__atomic_load_n(&c->next, __ATOMIC_RELAXED);

		c->func(c->info);
		__atomic_store_n(&c->flags, 0, __ATOMIC_RELEASE);
		c = next;
	}
}

/*
 * Place for descriptors, 64 bytes apart: each on two lines, 16 bytes in one
 * and 16 in the next, or each in one.
 */
enum { H2_PLACES = 8, H2_STRADDLING = 48, H2_ALIGNED = 0 };

struct h2_places {
	char bytes[(H2_PLACES + 1) * 64];
} HARNESS_APART;

/* The @i-th of @p, which starts @offset bytes into a line. */
H2_INLINE struct h2_csd *h2_at(struct h2_places *p, unsigned offset, unsigned i)
{
	return (struct h2_csd *)(void *)&p->bytes[offset + i % H2_PLACES * 64];
}

/* Writing memory under a storm of calls: h2_storm.c. */
void h2_storm(const struct bench *b);

#endif
