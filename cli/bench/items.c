/* SPDX-License-Identifier: MIT */
/*
 * items.c: the experiment cache: percpu_cache beside malloc, and beside one
 * stack under a mutex.
 *
 * Eight items are taken and given back, last first, as a program that handles
 * some requests at a time does. Across CPUs one thread takes what the other
 * gives back; a ring hands items over, the same for all.
 */
#include "ops.h"

#include <pthread.h>
#include <stdlib.h>

enum { RING = 256, ITEMS = 64 };

static struct percpu_cache *cache;

/* All there is: never empty, for no more than 16 items are out. */
static struct {
	pthread_mutex_t lock;
	unsigned n;
	uint64_t item[ITEMS];
} HARNESS_APART stack = { PTHREAD_MUTEX_INITIALIZER, ITEMS, { 0 } };

static struct {
	uint64_t n HARNESS_APART;
} put_in, taken_out;
static uint64_t ring[RING] HARNESS_APART;

ALWAYS_INLINE uint64_t cache_get(void)
{
	uint64_t item = 0;

	use((uint64_t)percpu_cache_get(cache, &item));
	return item;
}

ALWAYS_INLINE void cache_put(uint64_t item)
{
	use((uint64_t)percpu_cache_put(cache, item));
}

ALWAYS_INLINE uint64_t malloc_get(void)
{
	void *p = malloc(64);

	__asm__ volatile("" : "+r"(p) : : "memory");
	return (uint64_t)(uintptr_t)p;
}

ALWAYS_INLINE void malloc_put(uint64_t item)
{
	free((void *)(uintptr_t)item);
}

ALWAYS_INLINE uint64_t stack_get(void)
{
	uint64_t item;

	pthread_mutex_lock(&stack.lock);
	item = stack.item[--stack.n];
	pthread_mutex_unlock(&stack.lock);
	return item;
}

ALWAYS_INLINE void stack_put(uint64_t item)
{
	pthread_mutex_lock(&stack.lock);
	stack.item[stack.n++] = item;
	pthread_mutex_unlock(&stack.lock);
}

/* To the ring, and from it, waiting for the other thread. */
ALWAYS_INLINE void hand_over(uint64_t item, uint64_t n)
{
	while (n - __atomic_load_n(&taken_out.n, __ATOMIC_ACQUIRE) >= RING)
		;
	ring[n % RING] = item;
	__atomic_store_n(&put_in.n, n + 1, __ATOMIC_RELEASE);
}

ALWAYS_INLINE uint64_t take_over(uint64_t n)
{
	uint64_t item;

	while (__atomic_load_n(&put_in.n, __ATOMIC_ACQUIRE) == n)
		;
	item = ring[n % RING];
	__atomic_store_n(&taken_out.n, n + 1, __ATOMIC_RELEASE);
	return item;
}

#define LOOPS(name)                                                            \
	static void pairs_##name(void *arg, unsigned thread, uint64_t ops)     \
	{                                                                      \
		uint64_t item[HARNESS_GRAIN];                                  \
                                                                               \
		(void)arg;                                                     \
		(void)thread;                                                  \
		for (; ops != 0; ops -= HARNESS_GRAIN) {                       \
			for (unsigned i = 0; i < HARNESS_GRAIN; i++)           \
				item[i] = name##_get();                        \
			for (unsigned i = HARNESS_GRAIN; i-- > 0;)             \
				name##_put(item[i]);                           \
		}                                                              \
	}                                                                      \
	static void across_##name(void *arg, unsigned thread, uint64_t ops)    \
	{                                                                      \
		uint64_t n = thread == 0 ? put_in.n : taken_out.n;             \
                                                                               \
		(void)arg;                                                     \
		for (; ops != 0; ops--, n++)                                   \
			if (thread == 0)                                       \
				hand_over(name##_get(), n);                    \
			else                                                   \
				name##_put(take_over(n));                      \
	}

LOOPS(cache)
LOOPS(malloc)

static void pairs_stack(void *arg, unsigned thread, uint64_t ops)
{
	uint64_t item[HARNESS_GRAIN];

	(void)arg;
	(void)thread;
	for (; ops != 0; ops -= HARNESS_GRAIN) {
		for (unsigned i = 0; i < HARNESS_GRAIN; i++)
			item[i] = stack_get();
		for (unsigned i = HARNESS_GRAIN; i-- > 0;)
			stack_put(item[i]);
	}
}

#define VARIANT(name, what, run)                                               \
	{                                                                      \
		name, what, run, NULL, NULL, 0, 0                              \
	}

static const struct variant pairs[] = {
	VARIANT("cache", "percpu_cache_get and _put", pairs_cache),
	{ "cache_again", "the same, again", pairs_cache, NULL, "cache", 0, 0 },
	VARIANT("malloc", "malloc(64) and free", pairs_malloc),
	VARIANT("stack", "one stack under a mutex", pairs_stack),
};
static const struct ratio pairs_ratios[] = {
	{ "cache_over_malloc", "cache", "malloc", GOAL_AT_MOST, 0.6 },
	{ "stack_over_cache", "stack", "cache", GOAL_AT_LEAST, 3 },
};

static const struct variant across[] = {
	VARIANT("cache", "percpu_cache", across_cache),
	{ "cache_again", "the same, again", across_cache, NULL, "cache", 0, 0 },
	VARIANT("malloc", "malloc(64) and free", across_malloc),
};
static const struct ratio across_ratios[] = {
	{ "across_cache_over_malloc", "cache", "malloc", GOAL_AT_MOST, 1 },
};

static const struct comparison comparisons[] = {
	{ "items_1_thread", "take and give back, 1 thread", "pair", 1, pairs,
	  COUNT(pairs), pairs_ratios, COUNT(pairs_ratios), 5e4, NULL, false },
	{ "items_2_threads", "take and give back, 2 threads", "pair", 2, pairs,
	  COUNT(pairs), pairs_ratios, COUNT(pairs_ratios), 5e4, NULL, false },
	{ "items_across", "take on one CPU, give back on another", "pair", 2,
	  across, COUNT(across), across_ratios, COUNT(across_ratios), 5e4, NULL,
	  false },
};

/* Items from malloc, where none is cached. */
static int fresh(void *arg, uint64_t *item)
{
	void *p = malloc(64);

	(void)arg;
	*item = (uint64_t)(uintptr_t)p;
	return p != NULL ? 0 : -1;
}

static void away(void *arg, uint64_t item)
{
	(void)arg;
	free((void *)(uintptr_t)item);
}

static void run_default(const struct bench *b)
{
	const struct percpu_cache_attr attr = { .alloc = fresh, .free = away };

	cache = percpu_cache_create(&attr);
	compare_all(b, comparisons, COUNT(comparisons), cache != NULL);
	percpu_cache_destroy(cache);
}

static const struct part parts[] = {
	{ "default", PERCPU_POLICY_AUTO, PERCPU_INDEX_CPU, run_default },
};

const struct experiment experiment_cache = {
	.name = "cache",
	.what = "a cache of items, beside malloc and one stack",
	.story = "  A pair takes an item of 64 bytes and gives it back, eight "
		 "at a time.\n",
	.short_ratio = "cache_over_malloc",
	.short_from = "items_1_thread",
	.parts = parts,
	.nr_parts = COUNT(parts),
};
