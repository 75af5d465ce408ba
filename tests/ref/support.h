/* SPDX-License-Identifier: MIT */
#ifndef TESTS_REF_SUPPORT_H
#define TESTS_REF_SUPPORT_H
/*
 * support.h: what tests of references have in common.
 */
#include "check.h"
#include "os.h"
#include "ref.h"

#include <percpu/percpu.h>

#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

/* A kind of reference, as the first word of the command line names it. */
static inline unsigned ref_flags(int argc, char **argv)
{
	static const struct {
		const char *name;
		unsigned flags;
	} kinds[] = {
		{ "plain", 0 },
		{ "reinit", PERCPU_REF_ALLOW_REINIT },
		{ "atomic", PERCPU_REF_INIT_ATOMIC },
		{ "adaptive", PERCPU_REF_ADAPTIVE },
	};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (argc > 1 && strcmp(argv[1], kinds[i].name) == 0)
			return kinds[i].flags;
	FAIL("no kind of reference is named");
}

/* The word of @r, as src/ref.h has it. */
static inline uint64_t ref_word(const struct percpu_ref *r)
{
	return __atomic_load_n(&r->guarded.word, __ATOMIC_ACQUIRE);
}

static inline bool ref_is_percpu(const struct percpu_ref *r)
{
	return (ref_word(r) & PERCPU__REF_ATOMIC) == 0;
}

/* Whether plain references count per CPU here. */
static inline bool ref_can(void)
{
	return percpu_backend(NULL) == PERCPU_MODE_RSEQ && percpu_fence() == 0;
}

/* Let @r, an adaptive one of which the caller has a reference, be per CPU. */
static inline void ref_promote(struct percpu_ref *r)
{
	percpu__ref_adapt_promote(r);
}

/* To one of the CPUs that may run this thread, in turn. */
static inline void ref_move(unsigned turn)
{
	static cpu_set_t allowed;
	static int first = 1;
	cpu_set_t one;
	unsigned cpu = turn;

	if (__atomic_load_n(&first, __ATOMIC_ACQUIRE)) {
		CHECK(sched_getaffinity(getpid(), sizeof(allowed), &allowed) ==
		      0);
		__atomic_store_n(&first, 0, __ATOMIC_RELEASE);
	}
	turn %= (unsigned)CPU_COUNT(&allowed);
	for (cpu = 0; !CPU_ISSET(cpu, &allowed) || turn-- > 0;)
		cpu++;
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	sched_setaffinity(0, sizeof(one), &one);
}

#endif
