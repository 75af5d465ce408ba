/* SPDX-License-Identifier: MIT */
#ifndef TESTS_HOTPLUG_STEPS_H
#define TESTS_HOTPLUG_STEPS_H
/*
 * steps.h: counters with slots of a CPU that is left, and what happens between
 * the steps by which a refresh gives their pages back: retire_hook(), which the
 * file that includes this defines. Linked with --wrap for the functions below.
 */
#include "counter.h"
#include "cpus.h"
#include "os.h"
#include "retires.h"
#include "section.h"
#include "slot.h"

#include <errno.h>

enum { RETIRE_COUNTERS = 2000, RETIRE_FENCE = 128 };

/* A counter that every step changes. */
enum { RETIRE_SIGN = 200 };

/* Before these. */
enum retire_step {
	RETIRE_PROBE,  /* fences: nothing is marked, */
	RETIRE_MARKED, /* all is, */
	RETIRE_MOVED,  /* and zero */
	RETIRE_DROP,
	RETIRE_CLAIM, /* for each move */
	RETIRE_CLAIMED,
	RETIRE_STEPS
};

static struct percpu_counter retire_c[RETIRE_COUNTERS];
static int64_t retire_want[RETIRE_COUNTERS];
static unsigned retire_left;  /* the CPU */
static unsigned retire_stays; /* the other */
static unsigned retire_count[RETIRE_STEPS];
static bool retire_armed;
static bool retire_denied;			       /* no claim */
static enum retire_step retire_refused = RETIRE_STEPS; /* no fence there */

static void retire_hook(enum retire_step step);

static inline void retire_at(enum retire_step step)
{
	if (!retire_armed)
		return;
	retire_count[step]++;
	retire_hook(step);
}

static inline struct percpu__counter_slot *retire_slot(unsigned i, unsigned cpu)
{
	return percpu__slot_object(percpu__counter_part(&retire_c[i]), cpu);
}

/* Whether no add can be near what it told. */
static inline bool retire_is_marked(unsigned i)
{
	const struct percpu__counter_slot *s = retire_slot(i, retire_left);

	return (s->told & 1) != 0 && s->told != 2 * s->total + 1;
}

/* Others fence too. */
static inline enum retire_step retire_before_fence(void)
{
	const struct percpu__counter_slot *s =
		retire_slot(RETIRE_SIGN, retire_left);

	if (!retire_is_marked(RETIRE_SIGN))
		return RETIRE_PROBE;
	return s->total == 0 && s->extra == 0 ? RETIRE_MOVED : RETIRE_MARKED;
}

__typeof__(percpu__os_membarrier) __wrap_percpu__os_membarrier;
__typeof__(percpu__os_membarrier) __real_percpu__os_membarrier;

int __wrap_percpu__os_membarrier(int cmd, unsigned flags, int cpu)
{
	if (retire_armed && cmd == RETIRE_FENCE) {
		enum retire_step step = retire_before_fence();

		retire_at(step);
		if (step == retire_refused)
			return -ENOSYS;
	}
	return __real_percpu__os_membarrier(cmd, flags, cpu);
}

static inline bool retire_among(const void *word, const char *p, size_t len)
{
	return (const char *)word >= p && (const char *)word < p + len;
}

/* No mark goes at the same time as words of its slot on another page. */
static inline void retire_check_drop(const char *p, size_t len)
{
	uintptr_t page = percpu__os_page_size();

	for (unsigned i = 0; i < RETIRE_COUNTERS; i++) {
		const struct percpu__counter_slot *s =
			retire_slot(i, retire_left);

		if ((uintptr_t)&s->total / page != (uintptr_t)&s->extra / page)
			CHECK(!retire_among(&s->total, p, len) ||
			      !retire_among(&s->extra, p, len));
	}
}

__typeof__(percpu__os_drop) __wrap_percpu__os_drop;
__typeof__(percpu__os_drop) __real_percpu__os_drop;

int __wrap_percpu__os_drop(void *p, size_t len)
{
	retire_at(RETIRE_DROP);
	if (retire_armed)
		retire_check_drop(p, len);
	return __real_percpu__os_drop(p, len);
}

__typeof__(percpu__counter_claim) __wrap_percpu__counter_claim;
__typeof__(percpu__counter_claim) __real_percpu__counter_claim;

bool __wrap_percpu__counter_claim(void *part, struct percpu__counter_claim *c)
{
	retire_at(RETIRE_CLAIM);
	if (retire_denied || !__real_percpu__counter_claim(part, c))
		return false;
	retire_at(RETIRE_CLAIMED);
	return true;
}

static inline void retire_add(unsigned i, int64_t v)
{
	percpu_counter_add(&retire_c[i], v);
	retire_want[i] = (int64_t)((uint64_t)retire_want[i] + (uint64_t)v);
}

static inline void retire_check(void)
{
	for (unsigned i = 0; i < RETIRE_COUNTERS; i++) {
		const struct percpu_counter *c = &retire_c[i];
		int64_t off = (int64_t)((uint64_t)percpu_counter_read(c) -
					(uint64_t)retire_want[i]);
		int64_t bound = percpu_counter_error_bound(c);

		CHECK_EQ(percpu_counter_sum(c), retire_want[i]);
		CHECK(off <= bound && off >= -bound);
	}
}

/* While nobody adds: all have heard what slots have told, once. */
static inline void retire_check_told(unsigned i)
{
	uint64_t told = 0;

	for (unsigned cpu = 0; cpu < percpu_nr_slots(); cpu++) {
		const struct percpu__counter_slot *s = retire_slot(i, cpu);

		if (s->told % 2 != 0)
			return; /* claimed for good, in a child */
		told += s->told / 2 + s->extra;
	}
	told -= percpu__counter_shared(percpu__counter_part(&retire_c[i]))
			->carried;
	CHECK_EQ(told << 1, 0);
}

/* Untold, told, and in extra; of both signs. */
static inline void retire_add_all(void)
{
	for (unsigned i = 0; i < RETIRE_COUNTERS; i++) {
		retire_add(i, (int64_t)(i % 5) - 2);
		if (i % 3 == 0)
			retire_add(i, 31);
		if (i % 4 == 0)
			retire_add(i, -30);
	}
}

static inline bool retire_fences(void)
{
	const char *why;

	return percpu_backend(&why) == PERCPU_MODE_RSEQ;
}

static inline void retire_start(void)
{
	retire_stays = allowed_cpu(0);
	retire_left = allowed_cpu(1);
	go_to(retire_stays);
	CHECK(percpu_counter_init_many(retire_c, 0, RETIRE_COUNTERS) == 0);
}

/* Both CPUs have counted, one is gone; what it leaves is given back. */
static inline void retire_refresh(void)
{
	memset(retire_count, 0, sizeof(retire_count));
	go_to(retire_left);
	retire_armed = false;
	CHECK(percpu_cpus_refresh() == 0);
	retire_add_all();
	go_to(retire_stays);
	retire_add_all();
	retire_armed = true;
	CHECK(percpu_cpus_refresh() == 0);
	retire_armed = false;
}

static inline void retire_end(void)
{
	struct percpu_alloc_stats left;

	percpu_counter_destroy_many(retire_c, RETIRE_COUNTERS);
	percpu_alloc_stats(&left);
	CHECK_EQ(left.live, 0);
}

#endif
