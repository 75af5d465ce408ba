/* SPDX-License-Identifier: MIT */
/*
 * late.c: adds, reads and a sync that come after a counter was destroyed are
 * harmless: they count, and it gets no per-CPU part, which nobody would give
 * back. Init makes it one with a part again. With -DTREE, of trees.
 */
#include "check.h"
#include "of.h"

#ifdef TREE
#define STATIC(v) PERCPU_COUNTER_TREE_INITIALIZER(v, 32)
#define INIT(c) percpu_counter_tree_init(c, 0, 32)
#else
#define STATIC(v) PERCPU_COUNTER_INITIALIZER(v)
#define INIT(c) percpu_counter_init(c, 0)
#endif

static COUNTER asked = STATIC(0);
static COUNTER other = STATIC(0);
static COUNTER late;

/* One has asked in vain, so a sync puts some at hand for adds. */
static void put_at_hand(void)
{
	OF(inc)(&asked);
	OF(sync)(&other);
	OF(inc)(&asked);
	CHECK(OF(error_bound)(&asked) != 0);
}

static void check_late(void)
{
	OF(add)(&late, 3);
	CHECK_EQ(OF(error_bound)(&late), 0);
	OF(sync)(&late);
	OF(add)(&late, 4);
	CHECK_EQ(OF(read)(&late), 7);
	CHECK_EQ(OF(sum)(&late), 7);
	CHECK_EQ(OF(exchange)(&late, 9), 7);
	CHECK(OF(limited_add)(&late, 10, 1));
	CHECK_EQ(OF(read)(&late), 10);
	CHECK_EQ(OF(error_bound)(&late), 0);
}

int main(void)
{
	put_at_hand();
	OF(destroy)(&late);
	check_late();
	CHECK(INIT(&late) == 0);
	OF(inc)(&late);
	CHECK(OF(error_bound)(&late) != 0);
	OF(destroy)(&late);
	check_late();
	OF(destroy)(&late);
	OF(destroy)(&asked);
	OF(destroy)(&other);
	return TEST_PASS;
}
