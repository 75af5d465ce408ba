/* SPDX-License-Identifier: MIT */
/*
 * counter_retire.c: a counter's slot of a CPU that is gone moves to the slot of
 * the CPU at hand. retire.c has the order in which this is called.
 *
 *                     told           total, extra
 *   in use            2 * t, even    t ..
 *   marked            that ^ FLIP    the same, and nobody changes them
 *   moved             FLIP           0, 0
 *   page dropped      0              0, 0
 *
 * 1. A mark is odd, so no claim takes the slot; and 2^63 away from what told
 *    was, while an add compares what lies within 2^62 of it: so every add
 *    misses, fails to claim, and goes to direct. That is code which is there
 *    already. From a slot of more than 2^60 there is no such distance to what
 *    it becomes, 0: it is not marked. A slot that is claimed is not either.
 * 2. A claim's section may have loaded told before, and store after: then the
 *    mark is gone, which one sees after the fence. Else nobody writes the slot
 *    any more: adds that had loaded the old told are over.
 * 3. What it had not told goes to carried, by an add that this CPU's claim
 *    makes anyway. total + extra goes to extra of this CPU's slot, whose only
 *    writer is who has claimed it (counter.c). So reads stay within the bound:
 *    the slot's part of it is 0 then.
 * 4. Sums do not see total + extra twice or not at all. Until all of it is
 *    done, the count of moves for this part is odd, and a sum takes the numbers
 *    from the record of the move: exact, wherever the move stands, so it waits
 *    for nobody. A sum in which the count has changed begins again.
 * 5. told becomes FLIP in the move: no add that has loaded total before it and
 *    told after, or the other way round, finds it near.
 * 6. A thread may have loaded total before the move, and told when the page was
 *    dropped: 0, near. So a fence lies between (retire.c, 4).
 * 7. In a child of fork a move may be cut off at any instruction. If the count
 *    is odd the record says how it ends; every step of that may be done twice.
 *    If only carried may have what was not told, or may not, nobody can know:
 *    the slot then looks claimed, for good, as after a carry that a fork has
 *    cut off (DESIGN.md, section 12, 7). So does this CPU's. Marks that are
 *    left over say what told was, so the next who retires goes on with them.
 *
 * Rejected: a sequence count for which sums wait: a sum in a handler on top of
 * the move would wait for ever, one in another thread for a thread that is
 * preempted. Moving to direct: carried would have to lose what the slot told at
 * the same instant.
 */
#include "counter.h"

#include "again.h"
#include "retire.h"
#include "slot.h"

#define FLIP ((uint64_t)1 << 63 | 1)
#define MOST ((uint64_t)1 << 60)
#define FAR ((uint64_t)1 << 62)

uint32_t percpu__counter_retire_moves[PERCPU__COUNTER_MOVES];

/* One at a time: those who retire have a lock. */
static struct {
	void *part;
	struct percpu__counter_slot *from;
	struct percpu__counter_slot *to;
	uint64_t sum;			      /* of from */
	uint64_t extra;			      /* of to, before */
	struct percpu__counter_slot *telling; /* carried has it, or not */
} move;

static uint64_t load(const uint64_t *word)
{
	return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}

/* In the order of the program, for sums and for forks. */
static void store(uint64_t *word, uint64_t v)
{
	__atomic_store_n(word, v, __ATOMIC_RELEASE);
}

/* No page appears for the sake of a zero. */
static void clear(uint64_t *word)
{
	if (load(word) != 0)
		store(word, 0);
}

static bool is_far(const struct percpu__counter_slot *slot)
{
	uint64_t told = load(&slot->told);

	return (told & 1) != 0 && told - 2 * load(&slot->total) + FAR > 2 * FAR;
}

static bool is_marked(void *part, uint32_t at)
{
	return is_far(percpu__slot_object(part, at));
}

static bool mark(void *part, uint32_t at)
{
	struct percpu__counter_slot *slot = percpu__slot_object(part, at);
	uint64_t told = load(&slot->told);

	if ((told & 1) != 0)
		return is_far(slot);
	if (load(&slot->total) + MOST > 2 * MOST)
		return false;
	return __atomic_compare_exchange_n(&slot->told, &told, told ^ FLIP,
					   false, __ATOMIC_ACQ_REL,
					   __ATOMIC_RELAXED);
}

static void unmark(void *part, uint32_t at)
{
	struct percpu__counter_slot *slot = percpu__slot_object(part, at);
	uint64_t told = load(&slot->told);

	if (is_far(slot))
		__atomic_compare_exchange_n(&slot->told, &told, told ^ FLIP,
					    false, __ATOMIC_RELEASE,
					    __ATOMIC_RELAXED);
}

static void begin(void)
{
	uint32_t *moves = percpu__counter_moves(move.part);

	__atomic_store_n(moves, *moves + 1, __ATOMIC_RELEASE);
}

static bool is_begun(void)
{
	return move.part != NULL &&
	       (*percpu__counter_moves(move.part) & 1) != 0;
}

/* From begin() on; may be done again from any place in it. */
static void finish(void)
{
	uint32_t *moves = percpu__counter_moves(move.part);

	store(&move.to->extra, move.extra + move.sum);
	clear(&move.from->extra);
	clear(&move.from->total);
	store(&move.from->told, FLIP);
	__atomic_store_n(moves, *moves + 1, __ATOMIC_RELEASE);
}

static void record(void *part, struct percpu__counter_slot *from,
		   struct percpu__counter_slot *to)
{
	__atomic_store_n(&move.part, part, __ATOMIC_RELEASE);
	__atomic_store_n(&move.from, from, __ATOMIC_RELEASE);
	__atomic_store_n(&move.to, to, __ATOMIC_RELEASE);
	store(&move.sum, load(&from->total) + load(&from->extra));
	store(&move.extra, load(&to->extra));
}

/* Tell what neither slot has told. */
static void tell(const struct percpu__counter_claim *c, uint64_t told)
{
	uint64_t now = 2 * load(&move.from->total);
	uint64_t untold =
		percpu__counter_difference(told, now) +
		percpu__counter_difference(c->told, load(&c->slot->told) - 1);

	__atomic_store_n(&move.telling, move.from, __ATOMIC_RELEASE);
	if (untold != 0)
		__atomic_fetch_add(&percpu__counter_shared(move.part)->carried,
				   untold, __ATOMIC_ACQ_REL);
	store(&move.from->told, now ^ FLIP);
	__atomic_store_n(&move.telling, NULL, __ATOMIC_RELEASE);
}

static bool claim(void *part, struct percpu__counter_claim *c)
{
	for (unsigned n = 0; n < PERCPU__TRIES; n++)
		if (percpu__counter_claim(part, c))
			return true;
	return false;
}

static bool move_slot(void *part, uint32_t slot)
{
	struct percpu__counter_slot *from = percpu__slot_object(part, slot);
	uint64_t told = load(&from->told) ^ FLIP;
	struct percpu__counter_claim c;

	if (load(&from->total) == 0 && load(&from->extra) == 0 && told == 0)
		return true;
	if (!claim(part, &c))
		return false;
	record(part, from, c.slot);
	tell(&c, told);
	begin();
	finish();
	store(&c.slot->told, load(&c.slot->told) - 1);
	return true;
}

uint64_t percpu__counter_retire_sum(void *part)
{
	bool moves = __atomic_load_n(&move.part, __ATOMIC_ACQUIRE) == part;
	const struct percpu__counter_slot *from =
		__atomic_load_n(&move.from, __ATOMIC_ACQUIRE);
	const struct percpu__counter_slot *to =
		__atomic_load_n(&move.to, __ATOMIC_ACQUIRE);
	uint64_t sum = moves ? load(&move.sum) : 0;

	for (uint32_t i = 0; i < percpu__rt.nr_slots; i++) {
		const struct percpu__counter_slot *slot =
			percpu__slot_object(part, i);

		if (moves && slot == from)
			continue;
		sum += load(&slot->total);
		sum += load(moves && slot == to ? &move.extra : &slot->extra);
	}
	return sum;
}

static void settle(void)
{
	struct percpu__counter_slot *unsure = move.telling;

	if (is_begun()) {
		finish();
		store(&move.to->told, load(&move.to->told) & ~(uint64_t)1);
	} else if (unsure != NULL) {
		store(&unsure->told, 2 * load(&unsure->total) + 1);
		move.telling = NULL;
	}
}

void percpu__counter_retire_agree(void *part)
{
	static const struct percpu__retire_kind kind = {
		.bytes = sizeof(struct percpu__counter_slot),
		.mark_at = offsetof(struct percpu__counter_slot, told),
		.mark = mark,
		.marked = is_marked,
		.move = move_slot,
		.unmark = unmark,
		.settle = settle,
	};

	if (part != NULL)
		percpu__retire_agree(part, PERCPU__RETIRE_COUNTER, &kind);
}
