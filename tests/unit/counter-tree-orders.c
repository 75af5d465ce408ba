/* SPDX-License-Identifier: MIT */
/*
 * counter-tree-orders.c: adds to a tree in every order of their steps, from
 * slots and nodes that are at the edge of a carry: at each moment the root and
 * what slots, nodes and adds in flight hold back are the sum; the root is off
 * by no more than the bounds and what is in flight, and that is less than what
 * the add adds and batch x slots; and when all have ended, by the bounds alone.
 */
#include "check.h"
#include "counter_tree_shape.h"

#include <string.h>

enum { LEAVES = 65, BATCH = 2, NODES = 12, FLIGHTS = 3 };

struct flight {
	struct percpu__tree_level level;
	uint32_t at;
	bool begun;
	bool ended;
	uint64_t v;
	uint64_t carry;
};

static uint64_t slots[LEAVES + 1];
static struct percpu__tree_node nodes[NODES];
static struct flight flight[FLIGHTS];
static unsigned nr_flights;
static uint64_t under;
static uint64_t over;
static unsigned long orders;

static struct percpu__tree_level bottom(void)
{
	return percpu__tree_leaves(LEAVES, BATCH);
}

static uint64_t size_of(uint64_t v)
{
	return (int64_t)v < 0 ? 0 - v : v;
}

static uint64_t sum(void)
{
	uint64_t all = 0;

	for (unsigned i = 0; i <= LEAVES; i++)
		all += slots[i];
	return all;
}

/* What adds on their way have not brought to a node yet. */
static uint64_t in_flight(uint64_t *size)
{
	uint64_t all = 0;

	*size = 0;
	for (unsigned k = 0; k < nr_flights; k++) {
		const struct flight *f = &flight[k];

		if (!f->begun || f->ended)
			continue;
		CHECK(size_of(f->carry) < size_of(f->v) + BATCH * LEAVES);
		all += f->carry;
		*size += size_of(f->carry);
	}
	return all;
}

static void check(void)
{
	uint64_t flying;
	uint64_t held = percpu__tree_held(nodes, bottom()) + in_flight(&flying);
	int64_t off = (int64_t)(nodes->value - sum());

	for (unsigned i = 0; i <= LEAVES; i++)
		held += percpu__tree_rest(slots[i], BATCH);
	CHECK_EQ(nodes->value + held, sum());
	CHECK(off <= (int64_t)(over + flying));
	CHECK(-off <= (int64_t)(under + flying));
}

/* The next step of @f changes this word. */
static uint64_t *next_word(struct flight *f)
{
	struct percpu__tree_level l = f->level;

	if (!f->begun)
		return &slots[f->at];
	if (f->carry == 0 || !percpu__tree_rise(&l))
		return &nodes->value;
	return &nodes[l.first + (f->at >> PERCPU__TREE_SHIFT)].value;
}

static void step(struct flight *f)
{
	if (!f->begun) {
		slots[f->at] += f->v;
		f->carry = percpu__tree_carry(slots[f->at], f->v, BATCH);
		f->begun = true;
		if (f->at == LEAVES)
			f->at--;
	} else if (percpu__tree_rise(&f->level)) {
		f->at >>= PERCPU__TREE_SHIFT;
		f->carry = percpu__tree_step(&nodes[f->level.first + f->at],
					     f->carry, f->level.batch);
	} else {
		nodes->value += f->carry;
		f->carry = 0;
	}
	f->ended = f->carry == 0;
}

static void try_all(void)
{
	bool last = true;

	for (unsigned k = 0; k < nr_flights; k++) {
		struct flight was = flight[k];
		uint64_t *word = next_word(&flight[k]);
		uint64_t value = *word;

		if (was.ended)
			continue;
		last = false;
		step(&flight[k]);
		check();
		try_all();
		flight[k] = was;
		*word = value;
	}
	orders += last;
}

static void add(uint32_t at, uint64_t v)
{
	uint64_t carry;

	slots[at] += v;
	carry = percpu__tree_carry(slots[at], v, BATCH);
	CHECK(percpu__tree_carries(slots[at], v, BATCH) == (carry != 0));
	if (carry != 0)
		percpu__tree_climb(nodes, bottom(), at, carry);
}

/* Slots and nodes as they are after adds of @v on the CPUs of the flights. */
static void begin(uint64_t v)
{
	memset(slots, 0, sizeof(slots));
	memset(nodes, 0, sizeof(nodes));
	add(0, v);
	add(1, v / 2);
	add(LEAVES, v);
	check();
}

static void set_flights(unsigned code, const int *values, unsigned nr_values)
{
	static const uint32_t at[] = { 0, 1, LEAVES };

	for (unsigned k = 0; k < nr_flights; k++) {
		flight[k] = (struct flight){ .level = bottom() };
		flight[k].at = at[code % 3];
		code /= 3;
		flight[k].v = (uint64_t)values[code % nr_values];
		code /= nr_values;
	}
}

static void try_values(unsigned n, const int *values, unsigned nr_values)
{
	/* A node of 16 carries from 8 on, one of 128 from 64 on. */
	static const int start[] = { 0, 1, 6, 7, -9, 56, 62, -63, -71 };
	unsigned codes = 1;

	nr_flights = n;
	for (unsigned k = 0; k < n; k++)
		codes *= 3 * nr_values;
	for (unsigned i = 0; i < sizeof(start) / sizeof(*start); i++)
		for (unsigned code = 0; code < codes; code++) {
			begin((uint64_t)start[i]);
			set_flights(code, values, nr_values);
			try_all();
		}
}

int main(void)
{
	static const int few[] = { 1, -2, 9 };
	static const int many[] = { 1, -1, 2, -2, 7, -8, 9, 16, -17, 63, 130 };

	CHECK_EQ(percpu__tree_nodes(LEAVES), NODES);
	percpu__tree_bounds(bottom(), &under, &over);
	try_values(2, many, sizeof(many) / sizeof(*many));
	try_values(3, few, sizeof(few) / sizeof(*few));
	printf("%lu orders\n", orders);
	CHECK(orders > 100000);
	return TEST_PASS;
}
