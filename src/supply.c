/* SPDX-License-Identifier: MIT */
/*
 * supply.c: up to half a bin at a time goes from the chunks to a cache that is
 * empty, and half a bin back from one that is full, so that a program which
 * allocates and frees in turn at either edge does not go to the chunks each
 * time. How much goes to a cache doubles each time, from one object on, and
 * begins anew now and then: a size of which few are wanted ties up little.
 *
 * Before a chunk is mapped, the calling thread's own cache is emptied: with
 * sizes of all kinds, small objects in its bins keep larger ones from fitting.
 * Before memory is said to be short, all caches are.
 *
 * With few slots a dirty object is made zero when it leaves the cache; with
 * many, a whole batch on its way into the cache (wash.c).
 */
#include "supply.h"

#include "annot.h"
#include "central.h"
#include "classes.h"
#include "debug.h"
#include "exit.h"
#include "lock.h"
#include "policy.h"
#include "registry.h"
#include "trim.h"
#include "wash.h"
#include "watch.h"

#include <errno.h>

static bool started;

/* One less than the next batch for each bin. A hint: races lose a doubling. */
static uint8_t batches[PERCPU__BINS];

/* Nobody gets at a cache, or waits for a thread that is not here. */
static void in_child(void)
{
	percpu__cache_shut();
	percpu__debug_forked();
}

int percpu__supply_start(void)
{
	int err;

	if (__atomic_load_n(&started, __ATOMIC_ACQUIRE))
		return 0;
	percpu__policy();
	err = percpu__lock_start(in_child);
	if (err < 0)
		return err;
	percpu__central_enter();
	percpu__chunk_start();
	percpu__central_leave();
	/* Without caches each object passes where its order is told. */
	if (!percpu__debug_on() && !percpu__annot_tsan_on())
		err = percpu__cache_start();
	if (err == 0)
		__atomic_store_n(&started, true, __ATOMIC_RELEASE);
	return err;
}

static void give_back(const uint64_t *items, unsigned n)
{
	percpu__central_give(items, n, percpu__central_seen());
}

/* Take from what is there, after the cache of this thread, or all, gave. */
static unsigned take_after_drain(bool all, uint32_t grains, uint32_t align,
				 unsigned want, uint64_t *out)
{
	percpu__cache_drain(all, give_back);
	return percpu__central_take(grains, align, want, out);
}

unsigned percpu__supply_take(uint32_t grains, uint32_t align, unsigned want,
			     uint64_t *out)
{
	unsigned n;

	if (percpu__supply_start() < 0)
		return 0;
	n = percpu__central_take(grains, align, want, out);
	if (n == 0)
		n = take_after_drain(false, grains, align, want, out);
	while (n == 0 && percpu__central_grow() == 0)
		n = percpu__central_take(grains, align, want, out);
	if (n == 0) {
		percpu__watch_flush();
		n = take_after_drain(true, grains, align, want, out);
	}
	return n;
}

/*
 * Put @items, held since @seen, to @bin's cache; to the chunks what it has no
 * room for. False as percpu__central_give().
 */
static bool store(unsigned bin, const uint64_t *items, unsigned n,
		  uint32_t seen)
{
	while (n > 0 && percpu__cache_push(bin, items[n - 1]))
		n--;
	return n == 0 || percpu__central_give(items, n, seen);
}

/* How many to take for @bin now, of which the cache has none. */
static unsigned next_batch(unsigned bin)
{
	unsigned n = __atomic_load_n(&batches[bin], __ATOMIC_RELAXED) + 1u;
	unsigned most = percpu__cache_limit(bin) / 2;

	if (n > most)
		return most;
	__atomic_store_n(&batches[bin], (uint8_t)(2 * n - 1), __ATOMIC_RELAXED);
	return n;
}

static void begin_anew(void)
{
	for (unsigned i = 0; i < PERCPU__BINS; i++)
		__atomic_store_n(&batches[i], 0, __ATOMIC_RELAXED);
}

bool percpu__supply_refill(unsigned bin, uint64_t *item)
{
	uint64_t items[PERCPU__BIN_LIMIT_MAX / 2];
	size_t bytes = percpu__classes_bytes(bin);
	size_t align = percpu__classes_align(bytes);
	uint32_t seen;
	unsigned n;

	do {
		n = percpu__supply_take((uint32_t)bytes / PERCPU__GRAIN,
					(uint32_t)align / PERCPU__GRAIN,
					next_batch(bin), items);
		if (n == 0)
			return false;
		seen = percpu__central_seen();
		percpu__wash_all(items, n, bytes, true);
		*item = items[0];
	} while (!store(bin, items + 1, n - 1, seen));
	return true;
}

void percpu__supply_flush(unsigned bin, uint64_t item, uint32_t seen)
{
	uint64_t items[PERCPU__BIN_LIMIT_MAX / 2 + 1];
	unsigned want = percpu__cache_limit(bin) / 2;
	unsigned n = 0;

	items[n++] = item;
	while (n <= want && percpu__cache_pop(bin, &items[n]))
		n++;
	percpu__central_give(items, n, seen);
}

bool percpu__supply_wash(unsigned bin, uint64_t *item)
{
	uint64_t items[PERCPU__BIN_LIMIT_MAX];
	uint32_t seen = percpu__central_seen();
	unsigned n = 1;

	items[0] = *item;
	while (n < percpu__cache_limit(bin) &&
	       percpu__cache_pop(bin, &items[n]))
		n++;
	percpu__wash_all(items, n, percpu__classes_bytes(bin), false);
	*item = items[0];
	return store(bin, items + 1, n - 1, seen);
}

/* In a child of fork, nobody is waited for who is not there. */
static void join(void)
{
	percpu__central_enter();
	percpu__central_leave();
}

void percpu__supply_leave(bool (*gone)(unsigned slot))
{
	join();
	percpu__cache_leave(gone, give_back);
}

void percpu__supply_drain(bool all)
{
	join();
	percpu__cache_drain(all, give_back);
	begin_anew();
	if (all)
		percpu__watch_flush();
}

/*
 * At dlclose, after the variables of statics.c: unmap what holds no object; the
 * rest is a leak. At exit: only look at what is in quarantine.
 */
static void __attribute__((destructor(101))) release(void)
{
	bool none;

	percpu__supply_drain(true);
	if (percpu__exit_keeps())
		return;
	percpu__central_shrink(0, NULL);
	percpu__central_enter();
	none = percpu__central_chunks() == 0;
	if (none)
		percpu__registry_release();
	percpu__central_leave();
	if (none)
		percpu__cache_release();
}
