/* SPDX-License-Identifier: MIT */
/*
 * exact.c: no way in which eight CPUs may take turns loses an addition to the
 * shared slot, by operations as ThreadSanitizer builds have them (shared.h) or
 * by the library's functions under the policy shared; SEEDS ways are tried. A
 * plain counter beside it must lose, in nearly all of them.
 */
#include "check.h"
#include "model.h"

#include <percpu/percpu.h>

#define CPUS 8u
#define SEEDS 2000u
#define ROUNDS 6u

static uint64_t PERCPU *h;
static uint32_t PERCPU *narrow;
static volatile uint64_t plain;

static void add_one_if_unchanged(void)
{
	uint64_t old = percpu_read(h);

	while (!percpu_try_cmpxchg(h, &old, old + 1))
		;
}

static void body(unsigned cpu)
{
	(void)cpu;
	for (unsigned i = 0; i < ROUNDS; i++) {
		percpu_add(h, 3);
		percpu_add_u64(h, 5);
		percpu_sub(h, 2);
		(void)percpu_add_return(h, 7);
		add_one_if_unchanged();
		percpu_inc(narrow);
		percpu_dec_u32(narrow);
		plain = plain + 1;
	}
}

/* Whether the plain counter lost. */
static bool lost(uint64_t seed)
{
	plain = 0;
	h = percpu_new(uint64_t);
	narrow = percpu_new(uint32_t);
	CHECK(h != NULL && narrow != NULL);
	model_start(CPUS, seed);
	model_run(body, false);
	if (percpu_sum(h) != (uint64_t)CPUS * ROUNDS * (3 + 5 - 2 + 7 + 1) ||
	    percpu_sum(narrow) != 0)
		FAIL("seed %lu: the sum is %lu", (unsigned long)seed,
		     (unsigned long)percpu_sum(h));
	/* Not freed: the model's system would not know that they were written. */
	return plain != (uint64_t)CPUS * ROUNDS;
}

int main(void)
{
	unsigned losses = 0;

	model_policy = "shared";
	model_start(CPUS, 0);
	for (unsigned seed = 0; seed < SEEDS; seed++)
		losses += lost(seed);
	printf("%u ways to take turns; a plain counter lost in %u\n", SEEDS,
	       losses);
	CHECK(losses > SEEDS * 9 / 10);
	return TEST_PASS;
}
