/* SPDX-License-Identifier: MIT */
/*
 * debug_quarantine.c: a ring of places, under a lock of its own.
 *
 *        first            last
 *          v               v
 *   |  |  |oldest| ... |newest|  |  |     place n is ring[n % PLACES]
 *
 * Invariants, under the lock: (1) last - first <= PLACES; (2) held is the sum
 * of the rooms in [first, last). A child of fork begins with none: what was
 * held is free there (central.c).
 */
#include "debug_quarantine.h"

#include "os.h"

#include <pthread.h>
#include <stdint.h>

#define PLACES ((uint64_t)1 << 16)

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct percpu__debug_held *ring;
static uint64_t first;
static uint64_t last;
static size_t held;

static void move(uint64_t *at)
{
	__atomic_store_n(at, *at + 1, __ATOMIC_RELEASE);
}

/* False if there is no memory for the ring. */
static bool have_ring(void)
{
	size_t len = PLACES * sizeof(*ring);
	void *p;

	if (ring != NULL)
		return true;
	p = percpu__os_map(len);
	if (p == NULL)
		return false;
	ring = p;
	return true;
}

/* A child of fork may begin in between: it never has a ring that is not. */
static void drop_ring(void)
{
	void *old = ring;

	__atomic_store_n(&ring, NULL, __ATOMIC_RELEASE);
	if (old != NULL)
		percpu__os_release(old, PLACES * sizeof(*ring));
}

static void put(struct percpu__debug_held in)
{
	ring[last % PLACES] = in;
	held += in.room;
	move(&last);
}

static bool get(struct percpu__debug_held *out)
{
	if (first == last)
		return false;
	*out = ring[first % PLACES];
	held -= out->room;
	move(&first);
	return true;
}

bool percpu__debug_quarantine_put(struct percpu__debug_held in, size_t limit,
				  struct percpu__debug_held *out)
{
	bool is_out = true;

	pthread_mutex_lock(&lock);
	if (!have_ring()) {
		*out = in;
	} else {
		put(in);
		is_out = (held > limit || last - first == PLACES) && get(out);
	}
	pthread_mutex_unlock(&lock);
	return is_out;
}

bool percpu__debug_quarantine_get(size_t limit, bool all,
				  struct percpu__debug_held *out)
{
	bool is_out;

	pthread_mutex_lock(&lock);
	is_out = (all || held > limit) && get(out);
	if (all && !is_out)
		drop_ring();
	pthread_mutex_unlock(&lock);
	return is_out;
}

void percpu__debug_quarantine_forked(void)
{
	lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
	held = 0;
	first = last;
}
