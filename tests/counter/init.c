/* SPDX-License-Identifier: MIT */
/*
 * init.c: counters start where they are told, alone or many in one object, and
 * give back what they took; destroying twice, or what never was, is harmless;
 * a refusal leaves counters that may be destroyed, and count nevertheless.
 */
#include "check.h"
#include "live.h"

#include <errno.h>
#include <percpu/percpu.h>

#define MANY 100u

static struct percpu_counter counter;
static struct percpu_counter many[MANY];

static void check_one(void)
{
	CHECK(percpu_counter_init(&counter, -5) == 0);
	CHECK_EQ(percpu_counter_read(&counter), -5);
	CHECK_EQ(percpu_counter_sum(&counter), -5);
	percpu_counter_destroy(&counter);
	percpu_counter_destroy(&counter);
	CHECK_EQ(percpu_counter_sum(&counter), 0);
	CHECK_EQ(percpu_counter_error_bound(&counter), 0);
}

static void check_many(uint64_t before)
{
	CHECK(percpu_counter_init_many(many, 9, MANY) == 0);
	CHECK_EQ(live(), before + 1);
	for (unsigned i = 0; i < MANY; i++)
		for (unsigned n = 0; n < i; n++)
			percpu_counter_inc(&many[i]);
	for (unsigned i = 0; i < MANY; i++)
		CHECK_EQ(percpu_counter_sum(&many[i]), 9 + i);
	percpu_counter_destroy_many(many, MANY);
	percpu_counter_destroy_many(many, MANY);
	CHECK(percpu_counter_init_many(many, 9, 0) == 0);
}

static void check_refused(void)
{
	size_t too_many = percpu_max_size() / 24 + 1;
	struct percpu_counter *c = malloc(too_many * sizeof(*c));

	CHECK(c != NULL);
	for (size_t i = 0; i < too_many; i++)
		c[i].part = 0x5a5a5a5a5a5a5a5a;
	CHECK_EQ(percpu_counter_init_many(c, 3, too_many), -ENOMEM);
	percpu_counter_inc(&c[too_many - 1]);
	CHECK_EQ(percpu_counter_sum(&c[too_many - 1]), 4);
	CHECK_EQ(percpu_counter_read(&c[0]), 3);
	percpu_counter_destroy_many(c, too_many);
	percpu_counter_destroy(&c[0]);
	free(c);
}

int main(void)
{
	uint64_t before = live();

	percpu_counter_destroy(&counter);
	check_one();
	CHECK_EQ(live(), before);
	check_many(before);
	CHECK_EQ(live(), before);
	check_refused();
	/* What the library has at hand from now on, and gives out. */
	before = live();
	check_refused();
	CHECK(live() <= before);
	return TEST_PASS;
}
