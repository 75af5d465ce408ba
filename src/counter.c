/* SPDX-License-Identifier: MIT */
/*
 * counter.c: adding to a counter, and carrying what a slot has.
 *
 *         within reach                  beyond              no, or no section
 *   add -------------> slot.total   add ------> claim the carry -----> direct
 *        a section                               | yes: told = total
 *                                                v
 *                            shared.carried += what was not told + v,
 *                            extra += v, the claim is given up
 *
 * reach is the batch less 1. DESIGN.md, section 12, numbers the argument: why
 * each add is in the sum once, and why a read is never further off than it
 * says. A carry is lock-free: whoever is preempted in one, or interrupts one in
 * a handler, hinders nobody; adds that its slot cannot take go to direct, which
 * is exact too, and in every read.
 *
 * What was tried: what was told as a word that the carry stores when it is
 * done, perhaps from another CPU. A section that has loaded it before commits
 * after; then the slot is two reaches off, the next carry is of two, and so on:
 * there is no bound. The model found it. So told changes with the claim, in one
 * store of a section. v to direct instead of extra: a lock prefix more in each
 * carry. A claim by an atomic, without a section: another.
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

/* Whether twice @v does not wrap: what told is compared with. */
static bool comparable(uint64_t v)
{
	return within(v, (uint64_t)1 << 61);
}

/*
 * What is claimed is told as of now: tell it to all, with @v, which is within
 * reach, and let go. The word for all comes first: so for a moment the slot is
 * off by v; the other way round by v and what was not told.
 */
static void tell(void *part, const struct percpu__counter_claim *claim,
		 uint64_t v)
{
	struct percpu__counter_slot *slot = claim->slot;
	uint64_t now = load(&slot->told) - 1;
	uint64_t untold = percpu__counter_difference(claim->told, now);

	if (untold + v != 0)
		__atomic_fetch_add(&percpu__counter_shared(part)->carried,
				   untold + v, __ATOMIC_RELAXED);
	if (v != 0)
		__atomic_store_n(&slot->extra, load(&slot->extra) + v,
				 __ATOMIC_RELEASE);
	__atomic_store_n(&slot->told, now, __ATOMIC_RELEASE);
}

static enum percpu__ran add(const struct percpu__section *s, uint64_t v,
			    uint64_t reach)
{
	enum percpu__ran ran;
	unsigned n = 0;

	do {
		ran = percpu__section_counter_add(*s, v, reach);
	} while (percpu__again(ran, n++));
	return ran;
}

/* Claim this CPU's slot; false if that cannot be. */
static bool claim(const struct percpu__section *s,
		  struct percpu__counter_claim *c)
{
	enum percpu__ran ran;
	unsigned n = 0;

	do {
		ran = percpu__section_counter_claim(*s, c);
	} while (percpu__again(ran, n++));
	return ran == PERCPU__COMMITTED;
}

/* The same where there are no sections; what is told stays. */
static bool claim_atomic(void *part, struct percpu__counter_claim *c)
{
	c->slot = percpu__slot_cpu(part);
	if (c->slot == NULL)
		c->slot = percpu__slot_atomic(part);
	if ((void *)c->slot == percpu__counter_shared(part))
		return false;
	c->told = load(&c->slot->told) & ~(uint64_t)1;
	return __atomic_compare_exchange_n(&c->slot->told, &c->told,
					   c->told + 1, false, __ATOMIC_ACQUIRE,
					   __ATOMIC_RELAXED);
}

/* What a section's claim does at once. */
static void claimed_now(const struct percpu__counter_claim *c)
{
	store(&c->slot->told, 2 * load(&c->slot->total) + 1);
}

static void tell_atomic(void *part, const struct percpu__counter_claim *c,
			uint64_t v)
{
	claimed_now(c);
	tell(part, c, v);
}

static void add_atomic(void *part, uint64_t v, uint64_t reach)
{
	struct percpu__counter_claim c;
	uint64_t total;

	if (!claim_atomic(part, &c)) {
		percpu__counter_direct(part, v);
		return;
	}
	total = load(&c.slot->total) + v;
	if (comparable(v) &&
	    within(percpu__counter_difference(c.told, 2 * total), reach)) {
		store(&c.slot->total, total);
		__atomic_store_n(&c.slot->told, c.told, __ATOMIC_RELEASE);
	} else if (within(v, reach)) {
		tell_atomic(part, &c, v);
	} else {
		percpu__counter_direct(part, v);
		tell_atomic(part, &c, 0);
	}
}

/* @v is beyond what this CPU's slot can take. */
static void add_beyond(void *part, const struct percpu__section *s, uint64_t v,
		       uint64_t reach)
{
	struct percpu__counter_claim c;
	bool claimed = claim(s, &c);
	bool tells = claimed && within(v, reach);

	if (!tells)
		percpu__counter_direct(part, v);
	if (claimed)
		tell(part, &c, tells ? v : 0);
}

/*
 * Whether this CPU's slot cannot take @v, at a glance: most who come from an
 * inlined section have seen so. Nothing depends on it but time.
 */
static bool beyond(void *part, uint64_t v, uint64_t reach)
{
	const struct percpu__counter_slot *slot = percpu__try_this(part);

	return !comparable(v) ||
	       (slot != NULL && !within(percpu__counter_difference(
						load(&slot->told),
						2 * (load(&slot->total) + v)),
					reach));
}

static void add_to(void *part, uint64_t v, uint64_t reach)
{
	struct percpu__section s;
	enum percpu__ran ran;

	if (!percpu__slot_section(&s, part)) {
		add_atomic(part, v, reach);
		return;
	}
	ran = beyond(part, v, reach) ? PERCPU__MISSED : add(&s, v, reach);
	if (ran == PERCPU__MISSED)
		add_beyond(part, &s, v, reach);
	else if (ran != PERCPU__COMMITTED)
		percpu__counter_direct(part, v);
}

bool percpu__counter_claim(void *part, struct percpu__counter_claim *c)
{
	struct percpu__section s;

	if (percpu__slot_section(&s, part))
		return claim(&s, c);
	if (!claim_atomic(part, c))
		return false;
	claimed_now(c);
	return true;
}

void percpu__counter_carry(void *part)
{
	struct percpu__counter_claim c;

	if (percpu__counter_claim(part, &c))
		tell(part, &c, 0);
}

void percpu__counter_widen(struct percpu_counter *c, uint32_t batch)
{
	uint32_t most = __atomic_load_n(&c->most, __ATOMIC_RELAXED);

	while (most < batch &&
	       !__atomic_compare_exchange_n(&c->most, &most, batch, true,
					    __ATOMIC_RELEASE, __ATOMIC_RELAXED))
		;
}

void percpu_counter_add_i64(struct percpu_counter *c, int64_t v, int32_t batch)
{
	uint32_t b = batch > 1 ? (uint32_t)batch : 1;
	void *part = percpu__counter_part(c);

	if (part == NULL)
		part = percpu__counter_init_attach(c);
	if (part == NULL) {
		__atomic_fetch_add(&c->early, v, __ATOMIC_RELAXED);
		return;
	}
	percpu__counter_widen(c, b);
	add_to(part, (uint64_t)v, b - 1);
}
