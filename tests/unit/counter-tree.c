/* SPDX-License-Identifier: MIT */
/*
 * Conformance 58, 59, 62: with 1 to 1024 CPUs and any batch, a tree's root is
 * never farther from the sum than its bounds say; adds that are half way make
 * it no worse than the header says; once they have ended, what is missing is
 * what slots and nodes hold back, also where values wrap.
 */
#include "check.h"
#include "counter_tree_shape.h"
#include "random.h"

#include <string.h>

enum { SLOTS_MAX = 1025, NODES_MAX = 200, IN_FLIGHT = 12 };

static uint64_t slots[SLOTS_MAX];
static struct percpu__tree_node nodes[NODES_MAX];
static uint32_t leaves;
static uint32_t all; /* slots, the shared one as well */
static uint64_t batch;
static uint64_t under;
static uint64_t over;
static uint64_t sum; /* of all adds that have ended */
static uint64_t seed = 1;

static uint32_t below(uint32_t n)
{
	return pick(&seed, n);
}

static void begin(uint32_t cpus, uint64_t b, uint64_t start)
{
	leaves = cpus;
	all = cpus + 1;
	batch = b;
	memset(nodes, 0, sizeof(nodes));
	for (uint32_t i = 0; i < all; i++)
		slots[i] = start + i;
	sum = 0;
	percpu__tree_bounds(percpu__tree_leaves(leaves, batch), &under, &over);
}

/* A slot's part, which the test lets start anywhere. */
static uint64_t add_slot(uint32_t cpu, uint64_t v)
{
	slots[cpu] += v;
	return percpu__tree_carries(slots[cpu], v, batch) ?
		       percpu__tree_carry(slots[cpu], v, batch) :
		       0;
}

static void add(uint32_t cpu, uint64_t v)
{
	uint64_t carry = add_slot(cpu, v);

	sum += v;
	if (carry != 0)
		percpu__tree_climb(nodes, percpu__tree_leaves(leaves, batch),
				   cpu, carry);
}

static void check_within(uint64_t more)
{
	int64_t off = (int64_t)(nodes->value - sum);

	if (off > (int64_t)(over + more) || off < -(int64_t)(under + more))
		FAIL("%u CPUs, batch %llu: off by %lld, from -%llu to %llu",
		     leaves, (unsigned long long)batch, (long long)off,
		     (unsigned long long)(under + more),
		     (unsigned long long)(over + more));
}

/* Slots that started at 0 hold back all that the root has not. */
static void check_settled(void)
{
	uint64_t held =
		percpu__tree_held(nodes, percpu__tree_leaves(leaves, batch));

	for (uint32_t i = 0; i < all; i++)
		held += percpu__tree_rest(slots[i], batch);
	CHECK_EQ(nodes->value + held, sum);
}

/* Every CPU in turn adds @v, then takes it back. */
static void there_and_back(uint64_t v, unsigned times)
{
	for (unsigned i = 0; i < times * all; i++) {
		add(i % all, v);
		check_within(0);
	}
	for (unsigned i = 0; i < 2 * times * all; i++) {
		add(i % all, 0 - v);
		check_within(0);
	}
}

static void start_at_zero(uint32_t cpus, uint64_t b)
{
	begin(cpus, b, 0);
	memset(slots, 0, sizeof(slots));
}

static void check_bounds(uint32_t cpus, uint64_t b)
{
	unsigned times = cpus > 100 ? 40 : 500;

	start_at_zero(cpus, b);
	there_and_back(1, times);
	there_and_back(b / 2 + 1, 20);
	for (unsigned i = 0; i < times * all / 2; i++) {
		uint64_t v = draw(&seed) >> below(64);

		add(below(all), below(2) != 0 ? v : 0 - v);
		check_within(0);
	}
	check_settled();
}

/* Each slot, and each node by its first leaf, holds back @part of its batch. */
static void hold_back(uint64_t (*part)(uint64_t batch, uint64_t grain))
{
	struct percpu__tree_level l = percpu__tree_leaves(leaves, batch);
	uint64_t grain = 1;
	uint32_t below_one = 1; /* leaves below a node */

	for (uint32_t i = 0; i < all; i++)
		add(i, part(batch, grain));
	while (percpu__tree_rise(&l)) {
		grain = l.batch >> PERCPU__TREE_SHIFT;
		below_one <<= PERCPU__TREE_SHIFT;
		for (uint32_t i = 0; i < l.count; i++)
			add(i * below_one, part(l.batch, grain));
	}
}

static uint64_t most(uint64_t b, uint64_t grain)
{
	return b / 2 - grain;
}

static uint64_t least(uint64_t b, uint64_t grain)
{
	(void)grain;
	return 0 - b / 2;
}

/* Nothing less would do: slots and nodes can hold back so much. */
static void check_tight(uint32_t cpus, uint64_t b)
{
	start_at_zero(cpus, b);
	hold_back(most);
	CHECK_EQ(nodes->value, 0);
	CHECK_EQ(sum, under);
	start_at_zero(cpus, b);
	hold_back(least);
	CHECK_EQ(nodes->value, 0);
	CHECK_EQ(0 - sum, over);
}

struct flight {
	struct percpu__tree_level level;
	uint32_t at;
	uint64_t carry; /* that the next node gets; 0: none */
	uint64_t v;
};

/* One step up; true at the end. */
static bool fly(struct flight *f)
{
	if (f->carry != 0 && percpu__tree_rise(&f->level)) {
		f->at >>= PERCPU__TREE_SHIFT;
		CHECK(f->at < f->level.count);
		f->carry = percpu__tree_step(&nodes[f->level.first + f->at],
					     f->carry, f->level.batch);
		if (f->carry != 0)
			return false;
	}
	nodes->value += f->carry;
	f->carry = 0;
	sum += f->v;
	return true;
}

static void take_off(struct flight *f)
{
	uint64_t v = draw(&seed) >> (40 + below(24));

	f->v = below(2) != 0 ? v : 0 - v;
	f->level = percpu__tree_leaves(leaves, batch);
	f->carry = add_slot(below(all), f->v);
	f->at = below(leaves); /* any path */
}

/* Threads stop anywhere on their way up, and handlers run within. */
static void check_in_flight(uint32_t cpus, uint64_t b)
{
	struct flight flight[IN_FLIGHT];

	start_at_zero(cpus, b);
	for (unsigned k = 0; k < IN_FLIGHT; k++)
		take_off(&flight[k]);
	for (unsigned i = 0; i < 20000; i++) {
		unsigned k = below(IN_FLIGHT);

		if (fly(&flight[k]))
			take_off(&flight[k]);
		check_within(IN_FLIGHT * batch * all);
	}
	for (unsigned k = 0; k < IN_FLIGHT; k++)
		while (!fly(&flight[k]))
			;
	check_within(0);
	check_settled();
}

/* A slot passes from the largest number to the smallest as any other. */
static void check_wrap(uint32_t cpus, uint64_t b, uint64_t start)
{
	begin(cpus, b, start);
	for (unsigned i = 0; i < 4000; i++) {
		add(below(all), below(3) * b - b / 2);
		check_within(all * b);
	}
	for (unsigned i = 0; i < 100; i++) {
		add(below(all), draw(&seed));
		check_within(all * b);
	}
}

/* Levels follow each other in memory, the root before all. */
static void check_shape(uint32_t cpus)
{
	struct percpu__tree_level l = percpu__tree_leaves(cpus, 2);
	uint32_t next = 1;
	uint32_t children = l.count;

	while (percpu__tree_rise(&l)) {
		CHECK_EQ(l.first, next);
		CHECK_EQ(l.count, (children + 7) / 8);
		next += l.count;
		children = l.count;
	}
	CHECK(children <= 8);
	CHECK_EQ(percpu__tree_nodes(cpus), next);
}

/* Two counters, the same adds on different CPUs: the same sum, bounds alike. */
static void check_two(void)
{
	int64_t off;

	start_at_zero(256, 32);
	for (unsigned i = 0; i < 5000; i++)
		add(i % 256, i % 7);
	off = (int64_t)(nodes->value - sum);
	start_at_zero(256, 32);
	for (unsigned i = 0; i < 5000; i++)
		add(255 - i % 11, i % 7);
	off -= (int64_t)(nodes->value - sum);
	CHECK(off <= (int64_t)(over + under) &&
	      -off <= (int64_t)(over + under));
}

int main(void)
{
	static const uint32_t cpus[] = { 1,  2,	 7,  8,	  9,   63,
					 64, 71, 72, 255, 511, 1024 };
	static const uint64_t batches[] = { 2, 4, 32, 512, 1u << 31 };

	for (unsigned i = 0; i < sizeof(cpus) / sizeof(*cpus); i++) {
		check_shape(cpus[i]);
		for (unsigned k = 0; k < 5; k++) {
			check_bounds(cpus[i], batches[k]);
			check_tight(cpus[i], batches[k]);
			check_in_flight(cpus[i], batches[k]);
			check_wrap(cpus[i], batches[k], INT64_MAX - 1000);
			check_wrap(cpus[i], batches[k], 0 - (uint64_t)1000);
		}
	}
	check_two();
	return TEST_PASS;
}
