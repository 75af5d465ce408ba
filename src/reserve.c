/* SPDX-License-Identifier: MIT */
/*
 * reserve.c: an array of handles, each place NULL or a handle:
 *
 *   take   exchange NULL for what is there
 *   put    compare-and-swap NULL -> handle
 *   fill   allocate, and put
 *
 * 1. A handle leaves its place only by an exchange, which one thread alone
 *    gets; it enters only a place that is NULL. So it is in one place or has
 *    one owner, and there is nothing else that an old value could match: a
 *    place that was emptied and filled again is as good as before (no ABA).
 * 2. Whoever put a handle wrote to its object before, and whoever takes it
 *    reads after: put releases, take acquires.
 * 3. Every step is bounded, so a signal handler may interrupt any other.
 *
 * Rejected: a linked list through the objects. Its head would need a version,
 * and a link in memory that a thread still reads which lost a race.
 */
#include "reserve.h"

#include <percpu/alloc.h>

#include <errno.h>

void PERCPU *percpu__reserve_take(struct percpu__reserve *r)
{
	for (size_t i = 0; i < PERCPU__RESERVE; i++) {
		void PERCPU *h;

		if (__atomic_load_n(&r->handle[i], __ATOMIC_RELAXED) == NULL)
			continue;
		h = __atomic_exchange_n(&r->handle[i], NULL, __ATOMIC_ACQUIRE);
		if (h != NULL)
			return h;
	}
	return NULL;
}

bool percpu__reserve_put(struct percpu__reserve *r, void PERCPU *h)
{
	for (size_t i = 0; i < PERCPU__RESERVE; i++) {
		void PERCPU *none = NULL;

		if (__atomic_load_n(&r->handle[i], __ATOMIC_RELAXED) != NULL)
			continue;
		if (__atomic_compare_exchange_n(&r->handle[i], &none, h, false,
						__ATOMIC_RELEASE,
						__ATOMIC_RELAXED))
			return true;
	}
	return false;
}

static size_t missing(const struct percpu__reserve *r)
{
	size_t n = 0;

	for (size_t i = 0; i < PERCPU__RESERVE; i++)
		n += __atomic_load_n(&r->handle[i], __ATOMIC_RELAXED) == NULL;
	return n;
}

void percpu__reserve_fill(struct percpu__reserve *r)
{
	int saved = errno;

	for (size_t n = missing(r); n > 0; n--) {
		void PERCPU *h = percpu_alloc(r->size, r->align);

		if (h == NULL)
			break;
		if (!percpu__reserve_put(r, h)) {
			percpu_free(h);
			break;
		}
	}
	errno = saved;
}

static bool is(const bool *flag)
{
	return __atomic_load_n(flag, __ATOMIC_RELAXED);
}

static void set(bool *flag, bool to)
{
	if (is(flag) != to)
		__atomic_store_n(flag, to, __ATOMIC_RELAXED);
}

void PERCPU *percpu__reserve_ask(struct percpu__reserve *r)
{
	void PERCPU *h = is(&r->stocked) ? percpu__reserve_take(r) : NULL;

	if (h == NULL) {
		set(&r->stocked, false);
		set(&r->missed, true);
	}
	return h;
}

bool percpu__reserve_give(struct percpu__reserve *r, void PERCPU *h)
{
	if (!percpu__reserve_put(r, h))
		return false;
	set(&r->stocked, true);
	return true;
}

void percpu__reserve_supply(struct percpu__reserve *r)
{
	if (!is(&r->missed))
		return;
	set(&r->missed, false);
	percpu__reserve_fill(r);
	set(&r->stocked, true);
}

void percpu__reserve_empty(struct percpu__reserve *r)
{
	void PERCPU *h;

	while ((h = percpu__reserve_take(r)) != NULL)
		percpu_free(h);
}
