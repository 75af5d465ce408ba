/* SPDX-License-Identifier: MIT */
/*
 * ops_value.c: what operations with a result cost, beside the same operation on
 * a thread-local word: two loads and stores without a lock prefix, which is
 * what a compiler makes of them.
 */
#include "ops.h"

static __thread struct row mine;

/* Operations on thread-local words have no place; that of handles is made. */
static struct place no_place, percpu_place, percpu_place_again;

/* The word may have changed, and its value is wanted. */
#define KEPT(k) __asm__ volatile("" : "+m"(mine.of[k].n))

/* A 0 that the compiler does not know to be one. */
ALWAYS_INLINE uint64_t zero(void)
{
	uint64_t n = 0;

	__asm__("" : "+r"(n));
	return n;
}

ALWAYS_INLINE void tls_add_return(char *at, unsigned k)
{
	(void)at;
	use(++mine.of[k].n);
	KEPT(k);
}

ALWAYS_INLINE void tls_xchg(char *at, unsigned k)
{
	(void)at;
	use(mine.of[k].n);
	mine.of[k].n = k;
	KEPT(k);
}

ALWAYS_INLINE void tls_cmpxchg(char *at, unsigned k)
{
	uint64_t old = mine.of[k].n;

	if (old == zero())
		mine.of[k].n = zero();
	(void)at;
	use(old);
	KEPT(k);
}

ALWAYS_INLINE void add_return(char *at, unsigned k)
{
	use(percpu_add_return(WORD(uint64_t, at, k), 1));
}

ALWAYS_INLINE void xchg(char *at, unsigned k)
{
	use(percpu_xchg(WORD(uint64_t, at, k), k));
}

/* On words that are 0 and stay so: each one stores. */
ALWAYS_INLINE void cmpxchg(char *at, unsigned k)
{
	use(percpu_cmpxchg(WORD(uint32_t, at, k), zero(), zero()));
}

ALWAYS_INLINE void push_pop(char *at, unsigned k)
{
	struct percpu_stack PERCPU *s =
		(struct percpu_stack PERCPU *)WORD(uint64_t, at, k);
	uint64_t item;

	use((uint64_t)percpu_push(s, 4, k));
	use((uint64_t)percpu_pop(s, &item));
}

ALWAYS_INLINE void bits(char *at, unsigned k)
{
	percpu_xor(WORD(uint64_t, at, k), 1);
}

#define ROTATING(op) LOOP(rotating_##op, op, 0, 1, 2, 3, 4, 5, 6, 7)

ROTATING(tls_add_return)
ROTATING(tls_xchg)
ROTATING(tls_cmpxchg)
ROTATING(add_return)
ROTATING(xchg)
ROTATING(cmpxchg)
ROTATING(push_pop)
ROTATING(bits)

#define TLS(name, what, run)                                                   \
	{                                                                      \
		name, what, run, &no_place, NULL, 0, 0                         \
	}
#define LIBRARY(name, what, run)                                               \
	{                                                                      \
		name, what, run, &percpu_place, NULL, 0, 0                     \
	}

static const struct variant variants[] = {
	TLS("tls_add_return", "thread-local, += and read",
	    rotating_tls_add_return),
	{ "tls_add_return_again", "thread-local, += and read, again",
	  rotating_tls_add_return, &no_place, "tls_add_return", 0, 0 },
	LIBRARY("percpu_add_return", "percpu_add_return", rotating_add_return),
	{ "percpu_add_return_again", "percpu_add_return, again",
	  rotating_add_return, &percpu_place_again, "percpu_add_return", 0, 0 },
	TLS("tls_xchg", "thread-local, exchanged", rotating_tls_xchg),
	LIBRARY("percpu_xchg", "percpu_xchg", rotating_xchg),
	TLS("tls_cmpxchg", "thread-local, compared and set",
	    rotating_tls_cmpxchg),
	LIBRARY("percpu_cmpxchg", "percpu_cmpxchg", rotating_cmpxchg),
	LIBRARY("percpu_xor", "percpu_xor", rotating_bits),
	LIBRARY("percpu_push_pop", "percpu_push and percpu_pop",
		rotating_push_pop),
};

static const struct ratio ratios[] = {
	{ "percpu_add_return_over_tls", "percpu_add_return", "tls_add_return",
	  GOAL_AT_MOST, 3 },
	{ "percpu_xchg_over_tls", "percpu_xchg", "tls_xchg", GOAL_AT_MOST, 3 },
	{ "percpu_cmpxchg_over_tls", "percpu_cmpxchg", "tls_cmpxchg",
	  GOAL_AT_MOST, 3 },
};

void ops_value_run(const struct bench *b)
{
	const struct comparison all[] = {
		{ "value_1_thread", "operations with a result, 1 thread",
		  "operation", 1, variants, COUNT(variants), ratios,
		  COUNT(ratios), 5e4, NULL, false },
		{ "value_2_threads", "operations with a result, 2 threads",
		  "operation", 2, variants, COUNT(variants), ratios,
		  COUNT(ratios), 5e4, NULL, false },
	};
	struct row PERCPU *first = percpu_new(struct row);
	struct row PERCPU *again = percpu_new(struct row);

	percpu_place.base = (char *)(uintptr_t)first;
	percpu_place_again.base = (char *)(uintptr_t)again;
	compare_all(b, all, COUNT(all), first != NULL && again != NULL);
	percpu_free(again);
	percpu_free(first);
}
