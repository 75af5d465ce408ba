/* SPDX-License-Identifier: MIT */
/*
 * watch.c: between the allocator and what looks for mistakes (debug.h). An
 * object is taken with its red zone and straight from the chunks; freed, it
 * passes through the quarantine.
 */
#include "watch.h"

#include "central.h"
#include "debug.h"
#include "object.h"
#include "supply.h"
#include "wash.h"

#include <errno.h>

void *percpu__watch_alloc(size_t size, size_t align, const void *by)
{
	size_t room = percpu__debug_room(size);
	uint64_t item;
	void *h;

	if (align < PERCPU__CELL)
		align = PERCPU__CELL;
	if (percpu__supply_take((uint32_t)(room / PERCPU__GRAIN),
				(uint32_t)(align / PERCPU__GRAIN), 1,
				&item) == 0) {
		errno = ENOMEM;
		return NULL;
	}
	h = percpu__book_handle(item);
	percpu__debug_open(h, room);
	if ((item & PERCPU__DIRTY) != 0)
		percpu__wash_large(h, room);
	percpu__object_give_out(item);
	percpu__debug_given(h, size, room, by);
	return h;
}

static void give_back(struct percpu__debug_held held, uint32_t seen)
{
	uint64_t item = (uintptr_t)held.h | PERCPU__DIRTY;

	percpu__central_give(&item, 1, seen);
}

void percpu__watch_free(uint64_t item, size_t room, uint32_t seen,
			const void *by)
{
	struct percpu__debug_held held = { percpu__book_handle(item), room };
	bool more;

	percpu__debug_taken(held.h, room, by);
	more = percpu__debug_hold(held, &held);
	while (more) {
		give_back(held, seen);
		more = percpu__debug_release(false, &held);
	}
}

void percpu__watch_flush(void)
{
	uint32_t seen = percpu__central_seen();
	struct percpu__debug_held held;

	while (percpu__debug_on() && percpu__debug_release(true, &held))
		give_back(held, seen);
}
