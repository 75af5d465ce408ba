/* SPDX-License-Identifier: MIT */
#ifndef PERCPU_SRC_COUNTER_H
#define PERCPU_SRC_COUNTER_H
/*
 * counter.h: the per-CPU part of a counter, and who writes which word of it.
 *
 *   slot:        total     sections of this CPU
 *                told      the same; its lowest bit, 1 -> 0: who claimed
 *                extra     who has claimed the slot's carry
 *   shared slot: direct    all, by atomics: adds that no slot takes
 *                carried   all, by atomics: what slots have told
 *                bias      set, exchange and limited_add, by atomics
 *
 *   sum  = early + bias + direct + all (total + extra)
 *   read = early + bias + direct + carried
 *
 * told is twice what total was when the slot last told, plus 1 while that is
 * under way. Its highest bit is lost, and nobody misses it: it is only compared
 * with a total that is near. Under the policy atomic total and told, too, have
 * one writer at a time: whoever set the lowest bit, by an atomic. Under the
 * policy shared slots stay zero.
 */
#include <percpu/counter.h>

struct percpu__counter_slot {
	uint64_t total;
	uint64_t told;
	uint64_t extra;
};

/* In the shared slot. direct comes first: see percpu/arch/shared.h. */
struct percpu__counter_shared {
	uint64_t direct;
	uint64_t carried;
	uint64_t bias;
};

static inline void *percpu__counter_part(const struct percpu_counter *c)
{
	uintptr_t part = __atomic_load_n(&c->part, __ATOMIC_ACQUIRE);

	return part & 1 ? NULL : (void *)part;
}

/*
 * Keep @c from getting a part: 0 if it has one, else what hold_end() takes. A
 * hold of a thread that a fork left behind holds nothing in the child.
 */
uintptr_t percpu__counter_hold(struct percpu_counter *c);
void percpu__counter_hold_end(struct percpu_counter *c, uintptr_t hold);

/* What is in c->part, where that is neither a part nor held. */
bool percpu__counter_hold_none(uintptr_t word);

struct percpu__counter_shared *percpu__counter_shared(void *part);

/* Add to what no slot has. */
void percpu__counter_direct(void *part, uint64_t v);

/* Tell what the slot of this CPU has not told. */
void percpu__counter_carry(void *part);

struct percpu__counter_claim;

/*
 * Claim the slot of this CPU, which is told as of now, but for the telling;
 * false if that cannot be, at this moment or at all.
 */
bool percpu__counter_claim(void *part, struct percpu__counter_claim *c);

/* From what is told as @told to the total that is told as @now, near it. */
static inline uint64_t percpu__counter_difference(uint64_t told, uint64_t now)
{
	return (uint64_t)((int64_t)(now - told) >> 1);
}

/*
 * How often slots of counters have been moved; odd: one is being moved. Each is
 * for the counters whose parts have one hash. counter_retire.c has the rest.
 */
#define PERCPU__COUNTER_MOVES 64u
extern uint32_t percpu__counter_retire_moves[PERCPU__COUNTER_MOVES];

static inline uint32_t *percpu__counter_moves(const void *part)
{
	return &percpu__counter_retire_moves
		[(uintptr_t)part / sizeof(struct percpu__counter_slot) %
		 PERCPU__COUNTER_MOVES];
}

/* What all slots have, while one of the counter's may be on the move. */
uint64_t percpu__counter_retire_sum(void *part);

/* Let the part, alone or of several, lose the slots of CPUs that are gone. */
void percpu__counter_retire_agree(void *part);

/* The part of @c, which is made now if there is none; NULL without memory. */
void *percpu__counter_init_obtain(struct percpu_counter *c);

/* Whether @now + @v is not beyond @limit. */
static inline bool percpu__counter_room(uint64_t now, int64_t limit, int64_t v)
{
	int64_t from = (int64_t)now;
	int64_t to;

	if (__builtin_add_overflow(from, v, &to))
		return false;
	return v > 0 ? to <= limit : to >= limit;
}

/* Give @c its part, if there is one at hand; NULL if not. Never waits. */
void *percpu__counter_init_attach(struct percpu_counter *c);

/* Raise most to @batch; once there is a part. */
void percpu__counter_widen(struct percpu_counter *c, uint32_t batch);

/* Make the default batch that of @online CPUs. Not at the same time twice. */
void percpu__counter_init_follow(unsigned online);

#endif
