/* SPDX-License-Identifier: MIT */
/*
 * counter_read.c: what a counter is, and making it something else.
 *
 * exchange: (1) it loads bias, (2) sums all but bias to s, (3) replaces bias by
 * v - s if it is still what (1) has found, and returns s + bias; else it begins
 * again. The biases of successive exchanges telescope: what all of them return
 * and the sum after the last add up to what was added, whenever adds come. By
 * (3) an exchange sums after the one before it has ended, so while adds have
 * one sign no answer is below zero.
 *
 * limited_add adds to bias, which so orders it among exchanges and its own
 * kind. (1) It loads bias, (2) sums, with that bias; (3) if there is room it
 * replaces bias if it is still what (1) has found. Then no exchange and no
 * limited_add came in between, or such as cancel out, and the sum of (2) is
 * still right but for plain adds, which never write bias and so never make it
 * begin again. A counter without a per-CPU part has early in place of bias; it
 * gets no part between (1) and (3), which counter_hold.c sees to. Otherwise a
 * late replacement of early would not see what slots got since.
 */
#include "counter.h"

#include "slot.h"

static uint64_t load(const uint64_t *word)
{
	return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}

static uint64_t early(const struct percpu_counter *c)
{
	return (uint64_t)__atomic_load_n(&c->early, __ATOMIC_RELAXED);
}

static bool replace(uint64_t *word, uint64_t *old, uint64_t v)
{
	return __atomic_compare_exchange_n(word, old, v, false,
					   __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}

static uint64_t still(void *part)
{
	struct percpu__counter_slot *slot = percpu__slot_object(part, 0);
	uint64_t sum = 0;

	for (uint32_t left = percpu__rt.nr_slots; left > 0; left--) {
		sum += load(&slot->total) + load(&slot->extra);
		slot = (void *)((char *)slot + percpu__rt.stride);
	}
	return sum;
}

/* What all slots have. Begins again when a slot was moved meanwhile. */
static uint64_t slots(void *part)
{
	const uint32_t *moves = percpu__counter_moves(part);
	uint64_t sum;
	uint32_t seen;

	do {
		seen = __atomic_load_n(moves, __ATOMIC_ACQUIRE);
		sum = (seen & 1) == 0 ? still(part) :
					percpu__counter_retire_sum(part);
	} while (__atomic_load_n(moves, __ATOMIC_RELAXED) != seen);
	return sum;
}

static int64_t positive(int64_t v)
{
	return v > 0 ? v : 0;
}

/*
 * A static counter, which an add may not give its part, gets it from who looks:
 * it is no constant, though nothing that one can see of it changes.
 */
static void *part_of(const struct percpu_counter *c)
{
	void *part = percpu__counter_part(c);

	if (__builtin_expect(part != NULL || c->destroyed, 1))
		return part;
	return percpu__counter_init_obtain(
		(struct percpu_counter *)(uintptr_t)c);
}

int64_t percpu_counter_read(const struct percpu_counter *c)
{
	void *part = part_of(c);
	struct percpu__counter_shared *all;
	uint64_t v; /* bias first: what an exchange took off is then counted */

	if (part == NULL)
		return (int64_t)early(c);
	all = percpu__counter_shared(part);
	v = load(&all->bias);
	v += early(c) + load(&all->direct);
	return (int64_t)(v + load(&all->carried));
}

int64_t percpu_counter_read_positive(const struct percpu_counter *c)
{
	return positive(percpu_counter_read(c));
}

int64_t percpu_counter_sum(const struct percpu_counter *c)
{
	void *part = part_of(c);
	struct percpu__counter_shared *all;
	uint64_t v; /* bias first: what an exchange took off is then counted */

	if (part == NULL)
		return (int64_t)early(c);
	all = percpu__counter_shared(part);
	v = load(&all->bias);
	v += early(c) + load(&all->direct);
	return (int64_t)(v + slots(part));
}

int64_t percpu_counter_sum_positive(const struct percpu_counter *c)
{
	return positive(percpu_counter_sum(c));
}

/* Two reaches a slot: DESIGN.md, section 12. */
int64_t percpu_counter_error_bound(const struct percpu_counter *c)
{
	int64_t most = __atomic_load_n(&c->most, __ATOMIC_ACQUIRE);

	return most == 0 ? 0 : 2 * (most - 1) * percpu__rt.nr_slots;
}

/* Whether nothing within @bound of @a wraps. */
static bool inside(int64_t a, int64_t bound)
{
	return a >= INT64_MIN + bound && a <= INT64_MAX - bound;
}

/*
 * Whether @a, and all that is within @bound of it, is on one side of @b; not so
 * if that wraps.
 */
static bool far(int64_t a, int64_t b, int64_t bound)
{
	uint64_t distance =
		a > b ? (uint64_t)a - (uint64_t)b : (uint64_t)b - (uint64_t)a;

	return distance > (uint64_t)bound && inside(a, bound);
}

int percpu_counter_compare(const struct percpu_counter *c, int64_t v)
{
	int64_t now = percpu_counter_read(c);

	/* The bound after the read: a larger batch comes before its adds. */
	if (!far(now, v, percpu_counter_error_bound(c)))
		now = percpu_counter_sum(c);
	return now < v ? -1 : now > v;
}

int64_t percpu_counter_exchange(struct percpu_counter *c, int64_t v)
{
	void *part = part_of(c);
	struct percpu__counter_shared *all;
	uint64_t bias;
	uint64_t sum;
	uintptr_t hold = part == NULL ? percpu__counter_hold(c) : 0;
	int64_t was;

	if (hold != 0) {
		was = __atomic_exchange_n(&c->early, v, __ATOMIC_ACQ_REL);
		percpu__counter_hold_end(c, hold);
		return was;
	}
	part = percpu__counter_part(c);
	percpu__counter_carry(part);
	all = percpu__counter_shared(part);
	bias = load(&all->bias);
	do {
		sum = early(c) + load(&all->direct) + slots(part);
	} while (!replace(&all->bias, &bias, (uint64_t)v - sum));
	return (int64_t)(sum + bias);
}

void percpu_counter_set(struct percpu_counter *c, int64_t v)
{
	percpu_counter_exchange(c, v);
}

/*
 * Whether a read, which may be off by @bound, shows that there is room; not so
 * if what it stands for may have wrapped, on whichever side.
 */
static bool surely(uint64_t now, int64_t limit, int64_t v, int64_t bound)
{
	int64_t from = (int64_t)now;

	return inside(from, bound) &&
	       percpu__counter_room(
		       (uint64_t)(v > 0 ? from + bound : from - bound), limit,
		       v);
}

static bool limited_part(const struct percpu_counter *c, void *part,
			 int64_t limit, int64_t v)
{
	struct percpu__counter_shared *all = percpu__counter_shared(part);
	uint64_t bias = load(&all->bias);
	uint64_t rest;

	do {
		rest = early(c) + load(&all->direct) + bias;
		if (!surely(rest + load(&all->carried), limit, v,
			    percpu_counter_error_bound(c)) &&
		    !percpu__counter_room(rest + slots(part), limit, v))
			return false;
	} while (!replace(&all->bias, &bias, bias + (uint64_t)v));
	return true;
}

static bool limited_early(struct percpu_counter *c, int64_t limit, int64_t v)
{
	int64_t now = __atomic_load_n(&c->early, __ATOMIC_RELAXED);

	do {
		if (!percpu__counter_room((uint64_t)now, limit, v))
			return false;
	} while (!__atomic_compare_exchange_n(&c->early, &now, now + v, true,
					      __ATOMIC_RELAXED,
					      __ATOMIC_RELAXED));
	return true;
}

bool percpu_counter_limited_add(struct percpu_counter *c, int64_t limit,
				int64_t v)
{
	uintptr_t hold;
	bool added;

	if (v == 0)
		return true;
	hold = percpu__counter_hold(c);
	if (hold == 0)
		return limited_part(c, percpu__counter_part(c), limit, v);
	added = limited_early(c, limit, v);
	percpu__counter_hold_end(c, hold);
	return added;
}
