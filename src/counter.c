/* SPDX-License-Identifier: MIT */
/*
 * counter.c: adding to a counter, and carrying what a slot has.
 *
 *         within reach                  beyond                 no, or no section
 *   add -------------> slot.total   add ------> claim the carry -------> direct
 *        a section                               | yes
 *                                                v
 *                       extra += v, shared.carried += difference + v,
 *                       slot.carried += difference, busy = 0
 *
 * reach is the batch less 1. DESIGN.md, section 12, numbers the argument: why
 * each add is in the sum once, and why a read is never further off than it
 * says. A carry is lock-free: whoever is preempted in one, or interrupts one in
 * a handler, hinders nobody; adds that its slot cannot take go to direct, which
 * is exact too, and in every read.
 *
 * What was tried: v to direct instead of extra, a word less in each slot and a
 * lock prefix more in each carry, which with a batch of 32 is a fifth of what
 * an add costs over thread-local ++. v with the claim in one store to total
 * needs a word that says whose claim it is, and lets a slot run three reaches
 * off where this has two. A claim by an atomic, without a section, costs
 * another lock prefix.
 */
#include "counter.h"

#include "again.h"
#include "slot.h"

struct percpu__counter_shared *percpu__counter_shared(void *part)
{
	return percpu__slot_object(part, percpu__rt.nr_slots);
}

void percpu__counter_direct(void *part, uint64_t v)
{
	__atomic_fetch_add(&percpu__counter_shared(part)->direct, v,
			   __ATOMIC_RELAXED);
}

static uint64_t load(const uint64_t *word)
{
	return __atomic_load_n(word, __ATOMIC_RELAXED);
}

static void store(uint64_t *word, uint64_t v)
{
	__atomic_store_n(word, v, __ATOMIC_RELAXED);
}

static bool within(uint64_t distance, uint64_t reach)
{
	return distance + reach <= 2 * reach;
}

/*
 * The caller has claimed @slot: tell its difference and @v, which is within
 * reach, and let go. extra comes first: for a moment the slot is off by its
 * difference and v; the other way round by v and two differences.
 */
static void tell(void *part, struct percpu__counter_slot *slot, uint64_t v)
{
	uint64_t carried = load(&slot->carried);
	uint64_t difference = load(&slot->total) - carried;

	if (v != 0)
		store(&slot->extra, load(&slot->extra) + v);
	if (difference + v != 0)
		__atomic_fetch_add(&percpu__counter_shared(part)->carried,
				   difference + v, __ATOMIC_RELEASE);
	store(&slot->carried, carried + difference);
	__atomic_store_n(&slot->busy, 0, __ATOMIC_RELEASE);
}

static enum percpu__ran add(struct percpu__section s, uint64_t v,
			    uint64_t reach)
{
	enum percpu__ran ran;
	unsigned n = 0;

	do {
		ran = percpu__section_counter_add(s, v, reach);
	} while (percpu__again(ran, n++));
	return ran;
}

/* Claim this CPU's slot; NULL if that cannot be. */
static struct percpu__counter_slot *claim(struct percpu__section s)
{
	struct percpu__counter_slot *slot;
	enum percpu__ran ran;
	unsigned n = 0;

	do {
		ran = percpu__section_counter_claim(s, &slot);
	} while (percpu__again(ran, n++));
	return ran == PERCPU__COMMITTED ? slot : NULL;
}

/* The same where there are no sections. */
static struct percpu__counter_slot *claim_atomic(void *part)
{
	struct percpu__counter_slot *slot = percpu__slot_cpu(part);
	uint64_t free = 0;

	if (slot == NULL)
		slot = percpu__slot_atomic(part);
	if ((void *)slot == percpu__counter_shared(part) ||
	    !__atomic_compare_exchange_n(&slot->busy, &free, 1, false,
					 __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
		return NULL;
	return slot;
}

/* @v is beyond what @slot, which is claimed or NULL, can take. */
static void add_beyond(void *part, struct percpu__counter_slot *slot,
		       uint64_t v, uint64_t reach)
{
	bool tells = slot != NULL && within(v, reach);

	if (!tells)
		percpu__counter_direct(part, v);
	if (slot != NULL)
		tell(part, slot, tells ? v : 0);
}

static void add_atomic(void *part, uint64_t v, uint64_t reach)
{
	struct percpu__counter_slot *slot = claim_atomic(part);
	uint64_t total;

	if (slot == NULL) {
		percpu__counter_direct(part, v);
		return;
	}
	total = load(&slot->total) + v;
	if (!within(total - load(&slot->carried), reach)) {
		add_beyond(part, slot, v, reach);
		return;
	}
	store(&slot->total, total);
	__atomic_store_n(&slot->busy, 0, __ATOMIC_RELEASE);
}

static void add_to(void *part, uint64_t v, uint64_t reach)
{
	struct percpu__section s;
	enum percpu__ran ran;

	if (!percpu__slot_section(&s, part)) {
		add_atomic(part, v, reach);
		return;
	}
	ran = add(s, v, reach);
	if (ran == PERCPU__MISSED)
		add_beyond(part, claim(s), v, reach);
	else if (ran != PERCPU__COMMITTED)
		percpu__counter_direct(part, v);
}

void percpu__counter_carry(void *part)
{
	struct percpu__section s;
	struct percpu__counter_slot *slot;

	slot = percpu__slot_section(&s, part) ? claim(s) : claim_atomic(part);
	if (slot != NULL)
		tell(part, slot, 0);
}

void percpu__counter_widen(struct percpu_counter *c, int32_t batch)
{
	int32_t most = __atomic_load_n(&c->most, __ATOMIC_RELAXED);

	while (most < batch &&
	       !__atomic_compare_exchange_n(&c->most, &most, batch, true,
					    __ATOMIC_RELEASE, __ATOMIC_RELAXED))
		;
}

void percpu_counter_add_i64(struct percpu_counter *c, int64_t v, int32_t batch)
{
	int32_t b = batch > 1 ? batch : 1;
	void *part = percpu__counter_part(c);

	if (part == NULL)
		part = percpu__counter_attach(c);
	if (part == NULL) {
		__atomic_fetch_add(&c->early, v, __ATOMIC_RELAXED);
		return;
	}
	percpu__counter_widen(c, b);
	add_to(part, (uint64_t)v, (uint64_t)b - 1);
}
