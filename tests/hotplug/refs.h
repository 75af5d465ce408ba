/* SPDX-License-Identifier: MIT */
#ifndef TESTS_HOTPLUG_REFS_H
#define TESTS_HOTPLUG_REFS_H
/*
 * refs.h: references with slots of a CPU that is left, and what happens between
 * the steps by which a refresh gives their pages back: refs_hook(), which the
 * file that includes this defines. Linked with --wrap for the functions below.
 */
#include "cpus.h"
#include "memory.h"
#include "os.h"
#include "ref.h"
#include "slot.h"

#include <errno.h>

enum { REFS = 3000, REFS_FENCE = 128 };

/* One on a page that all lie on. */
enum { REFS_SIGN = 1200 };

/* Before these. */
enum refs_step {
	REFS_PROBE,  /* fences: nothing is marked, */
	REFS_MARKED, /* all is, */
	REFS_MOVED,  /* and zero */
	REFS_DROP,
	REFS_OWNER, /* of each, before it is looked at */
	REFS_STEPS
};

static struct percpu_ref refs[REFS];
static int64_t refs_want[REFS];
static unsigned refs_released;
static unsigned refs_left;  /* the CPU */
static unsigned refs_stays; /* the other */
static unsigned refs_count[REFS_STEPS];
static bool refs_armed;
static enum refs_step refs_refused = REFS_STEPS; /* no fence there */

static void refs_hook(enum refs_step step);

static inline void refs_at(enum refs_step step)
{
	if (!refs_armed)
		return;
	refs_count[step]++;
	refs_hook(step);
}

/* Others fence too. */
static inline enum refs_step refs_before_fence(void)
{
	uint64_t word = percpu__ref_load(&refs[REFS_SIGN]);

	if ((word & PERCPU__REF_FOLDING) == 0)
		return REFS_PROBE;
	return (word & PERCPU__REF_PROMOTING) != 0 ? REFS_MOVED : REFS_MARKED;
}

__typeof__(percpu__os_membarrier) __wrap_percpu__os_membarrier;
__typeof__(percpu__os_membarrier) __real_percpu__os_membarrier;

int __wrap_percpu__os_membarrier(int cmd, unsigned flags, int cpu)
{
	if (refs_armed && cmd == REFS_FENCE) {
		enum refs_step step = refs_before_fence();

		refs_at(step);
		if (step == refs_refused)
			return -ENOSYS;
	}
	return __real_percpu__os_membarrier(cmd, flags, cpu);
}

__typeof__(percpu__os_drop) __wrap_percpu__os_drop;
__typeof__(percpu__os_drop) __real_percpu__os_drop;

int __wrap_percpu__os_drop(void *p, size_t len)
{
	refs_at(REFS_DROP);
	return __real_percpu__os_drop(p, len);
}

__typeof__(percpu__ref_owner) __wrap_percpu__ref_owner;
__typeof__(percpu__ref_owner) __real_percpu__ref_owner;

struct percpu_ref *__wrap_percpu__ref_owner(void PERCPU *h)
{
	refs_at(REFS_OWNER);
	return __real_percpu__ref_owner(h);
}

static inline void refs_release(struct percpu_ref *r)
{
	(void)r;
	refs_released++;
}

static inline void refs_get(unsigned i, uint64_t n)
{
	percpu_ref_get_many(&refs[i], n);
	refs_want[i] += (int64_t)n;
}

static inline void refs_put(unsigned i, uint64_t n)
{
	percpu_ref_put_many(&refs[i], n);
	refs_want[i] -= (int64_t)n;
}

/* More to come on one CPU and more to go on the other. */
static inline void refs_get_all(void)
{
	for (unsigned i = 0; i < REFS; i++)
		refs_get(i, 3 + i % 5);
}

static inline void refs_put_all(void)
{
	for (unsigned i = 0; i < REFS; i++)
		refs_put(i, 2);
}

static inline uint64_t *refs_slot(unsigned i, unsigned cpu)
{
	return percpu__slot_object(refs[i].guarded.handle, cpu);
}

/* What the word and the slots say, at any instruction of who retires. */
static inline int64_t refs_now(unsigned i)
{
	uint64_t word = percpu__ref_load(&refs[i]);
	uint64_t n = (uint64_t)percpu__ref_count(word);

	if (percpu__ref_is_biased(word))
		n -= PERCPU__REF_BIAS / PERCPU__REF_ONE;
	if (percpu__ref_is_percpu(word) ||
	    (word & (PERCPU__REF_FOLDING | PERCPU__REF_PROMOTING)) ==
		    PERCPU__REF_FOLDING)
		n += percpu__ref_slots(refs[i].guarded.handle);
	return percpu__ref_count(n * PERCPU__REF_ONE);
}

static inline void refs_check(void)
{
	for (unsigned i = 0; i < REFS; i++)
		CHECK_EQ(refs_now(i), refs_want[i]);
}

/* Nobody is at work, and it counts as it did. */
static inline void refs_check_mode(unsigned i, bool percpu)
{
	uint64_t word = percpu__ref_load(&refs[i]);

	CHECK_EQ(word & PERCPU__REF_WORK, 0);
	CHECK_EQ((word & PERCPU__REF_ATOMIC) == 0, percpu);
	CHECK_EQ(word & PERCPU__REF_STICKY, 0);
}

static inline void refs_check_modes(bool percpu)
{
	for (unsigned i = 0; i < REFS; i++)
		refs_check_mode(i, percpu);
}

static inline bool refs_are_percpu(void)
{
	return percpu_backend(NULL) == PERCPU_MODE_RSEQ && percpu_fence() == 0;
}

/* Whether pages must go: else perhaps none of the steps come. */
static inline bool refs_can(void)
{
	return MEMORY_IS_OURS && getenv("PERCPU_INDEX") == NULL &&
	       refs_are_percpu();
}

/* Whether it may be used again after it was killed. */
static inline bool refs_again(unsigned i)
{
	return i % 3 != 0;
}

static inline void refs_init(unsigned i)
{
	CHECK(percpu_ref_init(&refs[i], refs_release,
			      refs_again(i) ? PERCPU_REF_ALLOW_REINIT : 0) ==
	      0);
	refs_want[i] = 1;
}

static inline void refs_start(void)
{
	refs_stays = allowed_cpu(0);
	refs_left = allowed_cpu(1);
	go_to(refs_stays);
	for (unsigned i = 0; i < REFS; i++)
		refs_init(i);
}

/* Both CPUs have counted, one is gone; what it leaves is given back. */
static inline void refs_refresh(void)
{
	memset(refs_count, 0, sizeof(refs_count));
	go_to(refs_left);
	refs_armed = false;
	CHECK(percpu_cpus_refresh() == 0);
	refs_get_all();
	go_to(refs_stays);
	refs_put_all();
	refs_armed = true;
	CHECK(percpu_cpus_refresh() == 0);
	refs_armed = false;
}

/* Each is killed, put and released once; nothing is left. */
static inline void refs_end(void)
{
	struct percpu_alloc_stats left;

	refs_released = 0;
	for (unsigned i = 0; i < REFS; i++) {
		CHECK_EQ(percpu_ref_val(&refs[i]), refs_want[i]);
		percpu_ref_kill(&refs[i]);
		CHECK_EQ(refs_released, i + (refs_want[i] == 1));
		percpu_ref_put_many(&refs[i], (uint64_t)refs_want[i] - 1);
		CHECK_EQ(refs_released, i + 1);
		CHECK(percpu_ref_exit(&refs[i]) == 0);
	}
	percpu_alloc_stats(&left);
	CHECK_EQ(left.live, 0);
}

#endif
