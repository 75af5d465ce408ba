/* SPDX-License-Identifier: MIT */
/*
 * many.c: trees start where they are told, alone or many in one object, and
 * give back what they took; destroying twice, or what never was, is harmless; a
 * refusal leaves trees that may be destroyed, and count nevertheless. More than
 * there may be are refused before they have taken nodes, which nobody gives
 * back to the system.
 */
#include "check.h"
#include "live.h"

#include <errno.h>
#include <percpu/percpu.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define MANY 100u

static struct percpu_counter_tree tree;
static struct percpu_counter_tree many[MANY];

static void check_one(void)
{
	CHECK(percpu_counter_tree_init(&tree, -5, 4) == 0);
	CHECK_EQ(percpu_counter_tree_read(&tree), -5);
	CHECK_EQ(percpu_counter_tree_sum(&tree), -5);
	percpu_counter_tree_destroy(&tree);
	percpu_counter_tree_destroy(&tree);
	CHECK_EQ(percpu_counter_tree_sum(&tree), 0);
	CHECK_EQ(percpu_counter_tree_read(&tree), 0);
	CHECK_EQ(percpu_counter_tree_error_bound(&tree), 0);
}

static void check_each(unsigned i)
{
	int64_t want = 9 + 100 * (int64_t)i;
	int64_t off = percpu_counter_tree_read(&many[i]) - want;

	CHECK_EQ(percpu_counter_tree_sum(&many[i]), want);
	CHECK(off <= percpu_counter_tree_error_bound(&many[i]));
	CHECK(-off <= percpu_counter_tree_error_bound(&many[i]));
}

static void check_many(uint64_t before)
{
	CHECK(percpu_counter_tree_init_many(many, 9, 4, MANY) == 0);
	CHECK_EQ(live(), before + 1);
	for (unsigned n = 0; n < 100; n++)
		for (unsigned i = 0; i < MANY; i++)
			percpu_counter_tree_add(&many[i], i);
	for (unsigned i = 0; i < MANY; i++)
		check_each(i);
	percpu_counter_tree_destroy_many(many, MANY);
	CHECK_EQ(live(), before);
	percpu_counter_tree_destroy_many(many, MANY);
	CHECK(percpu_counter_tree_init_many(many, 9, 4, 0) == 0);
}

/* What is said of a batch leaves trees as they are. */
static void check_batches(void)
{
	CHECK(percpu_counter_tree_init_many(many, 9, 4, 2) == 0);
	CHECK(percpu_counter_tree_init_many(many, 1, 3, 2) == -EINVAL);
	CHECK_EQ(percpu_counter_tree_sum(&many[1]), 9);
	percpu_counter_tree_destroy_many(many, 2);
}

/* What the process has in memory, in bytes. */
static size_t resident(void)
{
	FILE *f = fopen("/proc/self/statm", "r");
	unsigned long pages;

	CHECK(f != NULL && fscanf(f, "%*u %lu", &pages) == 1);
	fclose(f);
	return pages * (size_t)sysconf(_SC_PAGESIZE);
}

static void check_refused(void)
{
	size_t too_many = percpu_max_size() / 8 + 1;
	struct percpu_counter_tree *t = malloc(too_many * sizeof(*t));
	size_t had;

	CHECK(t != NULL);
	memset(t, 0x5a, too_many * sizeof(*t));
	had = resident();
	CHECK_EQ(percpu_counter_tree_init_many(t, 3, 2, too_many), -ENOMEM);
	CHECK(resident() < had + too_many * PERCPU_LINE / 2);
	percpu_counter_tree_inc(&t[too_many - 1]);
	CHECK_EQ(percpu_counter_tree_sum(&t[too_many - 1]), 4);
	CHECK_EQ(percpu_counter_tree_read(&t[0]), 3);
	percpu_counter_tree_destroy_many(t, too_many);
	percpu_counter_tree_destroy(&t[0]);
	free(t);
}

int main(void)
{
	uint64_t before = live();

	percpu_counter_tree_destroy(&tree);
	check_one();
	CHECK_EQ(live(), before);
	check_many(before);
	check_batches();
	CHECK_EQ(live(), before);
	check_refused();
	/* What the library has at hand from now on, and gives out. */
	before = live();
	check_refused();
	CHECK(live() <= before);
	return TEST_PASS;
}
