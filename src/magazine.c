/* SPDX-License-Identifier: MIT */
/*
 * magazine.c: stacks of items, one per CPU, that can be shut from afar.
 *
 *   c->capacity, c->floor    2 batches, 0: open     0, UINT64_MAX: shut
 *
 * 1. Only sequences store to a magazine that is open, and only on their CPU: a
 *    push or a pop is one store of count, and the item beyond count is
 *    nobody's. So each item is popped once.
 * 2. Each sequence loads its bound itself. After shut() has stored both bounds
 *    and fenced, a sequence that saw them open has committed or will restart,
 *    and then sees them shut: a push finds count >= 0, a pop count <=
 *    UINT64_MAX. Nobody but who shut them touches a magazine.
 * 3. The fence is a barrier on every CPU that runs a thread of this process, so
 *    what sequences have stored there is seen here after it.
 * 4. open() stores the bounds with release after whatever was changed; a
 *    sequence loads its bound before count (an acquire on AArch64; x86 loads in
 *    order). So who sees a magazine open sees its count as it was left. Of the
 *    two bounds one may be seen open before the other; each guards itself.
 *
 * Bounds, and not a base that is NULL as in cache.c: the comparison is there in
 * any case, so the gate costs the load alone.
 */
#include "magazine.h"

#include "again.h"
#include "slot.h"

#include <percpu/cpu.h>

static __attribute__((noinline)) bool
slow_push(void *h, const uint64_t *capacity, uint64_t item)
{
	struct percpu__section section;
	enum percpu__ran ran;
	unsigned n = 0;

	if (!percpu__slot_section(&section, h))
		return false;
	do {
		ran = percpu__section_gated_push(section, capacity, item);
	} while (percpu__again(ran, n++));
	return ran == PERCPU__COMMITTED;
}

static __attribute__((noinline)) bool slow_pop(void *h, const uint64_t *floor,
					       uint64_t *item)
{
	struct percpu__section section;
	enum percpu__ran ran;
	unsigned n = 0;
	uint64_t top;

	if (!percpu__slot_section(&section, h))
		return false;
	do {
		ran = percpu__section_gated_pop(section, floor, &top);
	} while (percpu__again(ran, n++));
	if (ran != PERCPU__COMMITTED)
		return false;
	*item = top;
	return true;
}

bool percpu__magazine_push(void *h, const uint64_t *capacity, uint64_t item)
{
	uint64_t top;
	uint64_t n;

	if (percpu__try_gated_push(h, capacity, item, &n, &top))
		return n < top;
	return slow_push(h, capacity, item);
}

bool percpu__magazine_pop(void *h, const uint64_t *floor, uint64_t *item)
{
	uint64_t bottom;
	uint64_t top;
	uint64_t n;

	if (!percpu__try_gated_pop(h, floor, &top, &n, &bottom))
		return slow_pop(h, floor, item);
	if (n <= bottom)
		return false;
	*item = top;
	return true;
}

struct percpu_stack *percpu__magazine_of(const struct percpu_cache *c,
					 unsigned slot)
{
	return percpu__slot_object(c->magazines, slot);
}

uint64_t percpu__magazine_count(const struct percpu_cache *c)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < percpu__rt.nr_slots; i++)
		sum += __atomic_load_n(&percpu__magazine_of(c, i)->count,
				       __ATOMIC_RELAXED);
	return sum;
}

/* Pairs with the load of the bound in each sequence, before its count. */
void percpu__magazine_open(struct percpu_cache *c, uint64_t capacity)
{
	__atomic_store_n(&c->floor, 0, __ATOMIC_RELEASE);
	__atomic_store_n(&c->capacity, capacity, __ATOMIC_RELEASE);
}

bool percpu__magazine_shut(struct percpu_cache *c, uint64_t capacity)
{
	__atomic_store_n(&c->capacity, 0, __ATOMIC_SEQ_CST);
	__atomic_store_n(&c->floor, UINT64_MAX, __ATOMIC_SEQ_CST);
	if (percpu_fence() == 0)
		return true;
	percpu__magazine_open(c, capacity);
	return false;
}
