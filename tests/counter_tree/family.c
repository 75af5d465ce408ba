/* SPDX-License-Identifier: MIT */
/*
 * Conformance 57, 60, 61: what each function of counter_tree.h does, in C and,
 * through family.cc, in C++.
 */
#include "check.h"

#include <percpu/percpu.h>
#include <sys/wait.h>
#include <unistd.h>

static struct percpu_counter_tree t;

static void init(int64_t v, unsigned batch)
{
	CHECK(percpu_counter_tree_init(&t, v, batch) == 0);
}

static void check_batches(void)
{
	static const unsigned wrong[] = { 0, 1, 3, 33, (1u << 31) + 1, ~0u };

	for (unsigned i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		CHECK(percpu_counter_tree_init(&t, 0, wrong[i]) == -EINVAL);
	for (unsigned shift = 1; shift < 32; shift++) {
		init(shift, 1u << shift);
		CHECK(percpu_counter_tree_read(&t) == shift);
		percpu_counter_tree_destroy(&t);
		percpu_counter_tree_destroy(&t);
	}
}

static void check_near(int64_t v)
{
	int64_t under;
	int64_t over;
	int64_t read = percpu_counter_tree_read(&t);

	percpu_counter_tree_bounds(&t, &under, &over);
	CHECK(percpu_counter_tree_sum(&t) == v);
	CHECK(read >= v - under && read <= v + over);
	CHECK(percpu_counter_tree_error_bound(&t) == over);
	CHECK(under >= 0 && under < over);
}

static void check_arithmetic(void)
{
	init(10, 4);
	percpu_counter_tree_add(&t, 1000);
	percpu_counter_tree_sub(&t, 300);
	percpu_counter_tree_inc(&t);
	percpu_counter_tree_inc(&t);
	percpu_counter_tree_dec(&t);
	check_near(711);
	percpu_counter_tree_sub(&t, INT64_MIN);
	percpu_counter_tree_add(&t, INT64_MIN);
	check_near(711);
	percpu_counter_tree_add(&t, -2000);
	check_near(-1289);
	CHECK(percpu_counter_tree_sum_positive(&t) == 0);
	CHECK(percpu_counter_tree_read_positive(&t) == 0);
	percpu_counter_tree_add(&t, 3000);
	CHECK(percpu_counter_tree_sum_positive(&t) == 1711);
	CHECK(percpu_counter_tree_read_positive(&t) ==
	      percpu_counter_tree_read(&t));
	percpu_counter_tree_destroy(&t);
}

/* However it is set and changed, it is what it was set to and the changes. */
static void check_set(int64_t start, int64_t v)
{
	init(7, 32);
	percpu_counter_tree_add(&t, 77);
	CHECK(percpu_counter_tree_exchange(&t, start) == 84);
	check_near(start);
	percpu_counter_tree_add(&t, v);
	check_near(start + v);
	percpu_counter_tree_add(&t, -2 * v);
	check_near(start - v);
	percpu_counter_tree_set(&t, -start);
	check_near(-start);
	percpu_counter_tree_destroy(&t);
}

static void check_sets(void)
{
	static const int64_t values[] = { 0,   5,    -5,     127,
					  128, 4096, 500000, -500000 };

	for (unsigned i = 0; i < 8; i++)
		for (unsigned k = 0; k < 8; k++)
			check_set(values[i], values[k]);
}

/* Below 0 is "smaller than", as percpu_counter_compare() in Linux has it. */
static void check_compare(void)
{
	int64_t far;

	init(100, 32);
	far = 2 * percpu_counter_tree_error_bound(&t) + 1;
	for (int64_t v = 100 - far; v <= 100 + far; v++) {
		CHECK(percpu_counter_tree_compare(&t, v) ==
		      (100 > v) - (100 < v));
		CHECK(percpu_counter_tree_read_compare(&t, v) *
			      percpu_counter_tree_compare(&t, v) >=
		      0);
	}
	CHECK(percpu_counter_tree_read_compare(&t, 100) == 0);
	CHECK(percpu_counter_tree_read_compare(&t, 101) == 0);
	CHECK(percpu_counter_tree_read_compare(&t, 100 + far) == -1);
	CHECK(percpu_counter_tree_read_compare(&t, 100 - far) == 1);
	percpu_counter_tree_destroy(&t);
}

/* Reads tell as soon as they can, and no sooner; what is set is in no slot. */
static void check_edges(unsigned batch, unsigned other_batch)
{
	struct percpu_counter_tree o;
	int64_t under[2];
	int64_t over[2];

	init(9, batch);
	CHECK(percpu_counter_tree_init(&o, 9, other_batch) == 0);
	percpu_counter_tree_bounds(&t, &under[0], &over[0]);
	percpu_counter_tree_bounds(&o, &under[1], &over[1]);
	CHECK(percpu_counter_tree_read_compare(&t, 9 + under[0]) == 0);
	CHECK(percpu_counter_tree_read_compare(&t, 9 + under[0] + 1) == -1);
	CHECK(percpu_counter_tree_read_compare(&t, 9 - over[0]) == 0);
	CHECK(percpu_counter_tree_read_compare(&t, 9 - over[0] - 1) == 1);
	percpu_counter_tree_set(&t, 9 + over[0] + under[1]);
	CHECK(percpu_counter_tree_read_order(&t, &o) == 0);
	percpu_counter_tree_set(&t, 9 + over[0] + under[1] + 1);
	CHECK(percpu_counter_tree_read_order(&t, &o) == 1);
	percpu_counter_tree_set(&t, 9 - under[0] - over[1]);
	CHECK(percpu_counter_tree_read_order(&t, &o) == 0);
	percpu_counter_tree_set(&t, 9 - under[0] - over[1] - 1);
	CHECK(percpu_counter_tree_read_order(&t, &o) == -1);
	percpu_counter_tree_destroy(&o);
	percpu_counter_tree_destroy(&t);
}

/* All slots hold back what they can, below 0: then a read is over the sum. */
static void check_far(void)
{
	int64_t *slot;

	init(0, 32);
	percpu_for_each_slot (slot, t.slots)
		*slot = -16;
	percpu_counter_tree_set(&t, INT64_MAX);
	CHECK(percpu_counter_tree_read(&t) < 0);
	CHECK(percpu_counter_tree_compare(&t, 0) == 1);
	percpu_counter_tree_destroy(&t);
}

/* What slots hold back takes a read past the largest number. */
static void check_limit(int64_t v, int64_t add)
{
	static const int64_t others[] = { INT64_MIN, INT64_MIN + 1, -1,	      0,
					  1,	     INT64_MAX - 1, INT64_MAX };

	struct percpu_counter_tree o;

	init(v, 512);
	percpu_counter_tree_add(&t, add);
	for (unsigned i = 0; i < 7; i++) {
		int want = (v + add > others[i]) - (v + add < others[i]);

		CHECK(percpu_counter_tree_compare(&t, others[i]) == want);
		CHECK(percpu_counter_tree_init(&o, others[i], 2) == 0);
		CHECK(percpu_counter_tree_order(&t, &o) == want);
		CHECK(percpu_counter_tree_order(&o, &t) == -want);
		percpu_counter_tree_destroy(&o);
	}
	percpu_counter_tree_destroy(&t);
}

static void check_order(void)
{
	struct percpu_counter_tree other;
	int64_t far;

	init(5, 32);
	CHECK(percpu_counter_tree_init(&other, 5, 64) == 0);
	CHECK(percpu_counter_tree_order(&t, &other) == 0);
	percpu_counter_tree_inc(&other);
	CHECK(percpu_counter_tree_order(&t, &other) == -1);
	CHECK(percpu_counter_tree_order(&other, &t) == 1);
	CHECK(percpu_counter_tree_read_order(&t, &other) == 0);
	far = 2 * (percpu_counter_tree_error_bound(&t) +
		   percpu_counter_tree_error_bound(&other));
	percpu_counter_tree_add(&t, 2 * far);
	CHECK(percpu_counter_tree_read_order(&t, &other) == 1);
	CHECK(percpu_counter_tree_read_order(&other, &t) == -1);
	percpu_counter_tree_destroy(&other);
	percpu_counter_tree_destroy(&t);
}

/* Where nothing is in flight, sync finds all in order. */
static void check_settled(void)
{
	int64_t read = percpu_counter_tree_read(&t);

	percpu_counter_tree_sync(&t);
	CHECK(percpu_counter_tree_read(&t) == read);
}

static void check_child(int64_t lost)
{
	percpu_counter_tree_sync(&t);
	check_near(53 + lost);
	check_settled();
	percpu_counter_tree_add(&t, 1001);
	check_near(1054 + lost);
	check_settled();
	_exit(TEST_PASS);
}

/* An add that got as far as its slot, and never ends in a child of fork. */
static void check_sync(int64_t lost)
{
	int status;
	pid_t child;

	init(3, 4);
	percpu_counter_tree_add(&t, 50);
	percpu_add(t.slots, lost);
	child = fork();
	if (child == 0)
		check_child(lost);
	CHECK(waitpid(child, &status, 0) == child);
	CHECK_EQ(status, 0);
	percpu_counter_tree_destroy(&t);
}

int main(void)
{
	check_batches();
	check_arithmetic();
	check_sets();
	check_compare();
	check_edges(32, 64);
	check_edges(512, 4);
	check_far();
	check_limit(INT64_MAX, 0);
	check_limit(INT64_MAX - 300, 257);
	check_limit(INT64_MIN, 0);
	check_limit(INT64_MIN + 300, -257);
	check_order();
	check_sync(10000);
	check_sync(-12345);
	return TEST_PASS;
}
