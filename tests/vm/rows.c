/* SPDX-License-Identifier: MIT */
#include "rows.h"

#include "check.h"

/* Neighbours, so that an add which is too wide harms another row's sum. */
struct object {
	uint8_t add_1;
	uint8_t sub_1;
	uint16_t add_2;
	uint32_t add_4;
	uint64_t add_8;
	uint64_t inc_8;
	uint32_t dec_4;
	uint16_t inc_2;
	uint8_t dec_1;
	uint8_t twin_1;
	uint64_t twin_8;
	uint64_t xchg_8;
	uint16_t xchg_2;
	uint8_t cmpxchg_1;
	uint8_t return_1;
	uint32_t try_4;
	uint64_t cmpxchg_8;
	uint64_t return_8;
	uint64_t all_8[8];
	uint64_t all_4[4];
	uint8_t all_1;
	uint16_t all_2;
	uint32_t all_3;
	uint64_t bits_8;
	uint16_t bits_2;
	uint64_t xor_8;
	uint8_t xor_1;
};

enum { CAPACITY = 8 };

/* Blocks begin at a multiple of their size; one harms the next if too wide. */
struct blocks {
	_Alignas(64) uint64_t eight[8];
	uint64_t four[4];
	uint64_t two[2];
};

static struct object PERCPU *h;
static struct blocks PERCPU *blocks;
static struct percpu_stack PERCPU *stacks;
static struct percpu_stack PERCPU *magazines;
static const uint64_t capacity = CAPACITY, floor_of_magazines;
static struct percpu_counter counter;
static struct percpu_ref ref;

/* More than there are ever put. */
static const uint64_t references = 1ull << 30;

static void release(struct percpu_ref *r)
{
	FAIL("reference %p is released", (void *)r);
}

void rows_init(void)
{
	h = percpu_new(struct object);
	blocks = percpu_new(struct blocks);
	stacks = percpu_stack_new(CAPACITY);
	magazines = percpu_stack_new(CAPACITY);
	CHECK(h != NULL && blocks != NULL && stacks != NULL);
	CHECK(magazines != NULL);
	CHECK(percpu_counter_init(&counter, 0) == 0);
	CHECK(percpu_ref_init(&ref, release, 0) == 0);
	percpu_ref_get_many(&ref, references - 1);
	CHECK(nr_rows <= ROWS_MAX);
}

/* A row of one field: @operation, with a value v, changes its sum by @change. */
#define ROW(field, operation, change)                                          \
	static uint64_t step_##field(uint64_t v)                               \
	{                                                                      \
		(void)v;                                                       \
		operation;                                                     \
		return change;                                                 \
	}                                                                      \
	static uint64_t sum_##field(void)                                      \
	{                                                                      \
		return percpu_sum(&h->field);                                  \
	}

ROW(add_1, percpu_add(&h->add_1, (uint8_t)v), v)
ROW(add_2, percpu_add(&h->add_2, (uint16_t)v), v)
ROW(add_4, percpu_add(&h->add_4, (uint32_t)v), v)
ROW(add_8, percpu_add(&h->add_8, v), v)
ROW(sub_1, percpu_sub(&h->sub_1, (uint8_t)v), 0 - v)
ROW(inc_2, percpu_inc(&h->inc_2), 1)
ROW(inc_8, percpu_inc(&h->inc_8), 1)
ROW(dec_1, percpu_dec(&h->dec_1), UINT64_MAX)
ROW(dec_4, percpu_dec(&h->dec_4), UINT64_MAX)
ROW(twin_1, percpu_add_u8(&h->twin_1, (uint8_t)v), v)
ROW(twin_8, percpu_add_u64(&h->twin_8, v), v)

ROW(return_1, percpu_add_return(&h->return_1, (uint8_t)v), v)
ROW(return_8, percpu_add_return(&h->return_8, v), v)

/* Puts v for what was there: the sum changes by the difference. */
ROW(xchg_2, uint16_t was = percpu_xchg(&h->xchg_2, (uint16_t)v), v - was)
ROW(xchg_8, uint64_t was = percpu_xchg(&h->xchg_8, v), v - was)

/* As above, if what was read a moment before is still there. */
ROW(cmpxchg_1, uint8_t old = percpu_read(&h->cmpxchg_1);
    uint8_t was = percpu_cmpxchg(&h->cmpxchg_1, old, (uint8_t)v),
    was == old ? v - old : 0)
ROW(cmpxchg_8, uint64_t old = percpu_read(&h->cmpxchg_8);
    uint64_t was = percpu_cmpxchg(&h->cmpxchg_8, old, v),
    was == old ? v - old : 0)
ROW(try_4, uint32_t old = percpu_read(&h->try_4);
    bool done = percpu_try_cmpxchg(&h->try_4, &old, (uint32_t)v),
    done ? v - old : 0)

/*
 * Several adds: field k gets v, k times over, and counts WEIGHT^k times, so
 * that an add too many, too few, or to another field changes the sum.
 */
#define WEIGHT UINT64_C(0x9e3779b97f4a7c15)

static uint64_t weighed(const uint64_t *field, unsigned n)
{
	uint64_t sum = 0;

	while (n-- != 0)
		sum = sum * WEIGHT + field[n];
	return sum;
}

static uint64_t weighed_change(uint64_t v, unsigned n)
{
	const uint64_t change[8] = { v,	    2 * v, 3 * v, 4 * v,
				     5 * v, 6 * v, 7 * v, 8 * v };

	return weighed(change, n);
}

static uint64_t weighed_sum(const uint64_t PERCPU *p, unsigned n)
{
	uint64_t field[8];

	for (unsigned k = 0; k < n; k++)
		field[k] = percpu_sum(
			(const uint64_t PERCPU *)((uintptr_t)p + 8 * k));
	return weighed(field, n);
}

#define SEVERAL(name, p, n, operation)                                         \
	static uint64_t step_##name(uint64_t v)                                \
	{                                                                      \
		operation;                                                     \
		return weighed_change(v, n);                                   \
	}                                                                      \
	static uint64_t sum_##name(void)                                       \
	{                                                                      \
		return weighed_sum(p, n);                                      \
	}

SEVERAL(all_8, &h->all_8[0], 8,
	percpu_add_all(&h->all_8[0], v, &h->all_8[1], 2 * v, &h->all_8[2],
		       3 * v, &h->all_8[3], 4 * v, &h->all_8[4], 5 * v,
		       &h->all_8[5], 6 * v, &h->all_8[6], 7 * v, &h->all_8[7],
		       8 * v))
SEVERAL(all_4, &h->all_4[0], 4,
	percpu_add_all(&h->all_4[0], v, &h->all_4[1], 2 * v, &h->all_4[2],
		       3 * v, &h->all_4[3], 4 * v))
SEVERAL(block_2, &blocks->two[0], 2,
	percpu_add_block(&blocks->two[0], v, 2 * v))
SEVERAL(block_4, &blocks->four[0], 4,
	percpu_add_block(&blocks->four[0], v, 2 * v, 3 * v, 4 * v))
SEVERAL(block_8, &blocks->eight[0], 8,
	percpu_add_block(&blocks->eight[0], v, 2 * v, 3 * v, 4 * v, 5 * v,
			 6 * v, 7 * v, 8 * v))

/* The three widths that are narrow, modulo the narrowest. */
static uint64_t step_narrow(uint64_t v)
{
	percpu_add_all(&h->all_1, (uint8_t)v, &h->all_2, (uint16_t)(v >> 8),
		       &h->all_3, (uint32_t)(v >> 24));
	return v + 3 * (v >> 8) + 5 * (v >> 24);
}

static uint64_t sum_narrow(void)
{
	return (uint64_t)percpu_sum(&h->all_1) +
	       3 * (uint64_t)percpu_sum(&h->all_2) +
	       5 * (uint64_t)percpu_sum(&h->all_3);
}

/*
 * The upper half of a word counts, the lower is written by and, or, xor: what
 * one of them loaded before a count and stored after it takes the count back.
 */
#define BITS(field, type, half)                                                \
	static uint64_t step_##field(uint64_t v)                               \
	{                                                                      \
		type low = (type)(v >> 2) >> (half);                           \
                                                                               \
		switch (v % 4) {                                               \
		case 0: percpu_and(&h->field, (type)~low); return 0;           \
		case 1: percpu_or(&h->field, low); return 0;                   \
		case 2: percpu_xor(&h->field, low); return 0;                  \
		default: percpu_add(&h->field, (type)((type)1 << (half)));     \
		}                                                              \
		return 1;                                                      \
	}                                                                      \
	static uint64_t sum_##field(void)                                      \
	{                                                                      \
		const type *slot;                                              \
		uint64_t sum = 0;                                              \
                                                                               \
		percpu_for_each_slot (slot, &h->field)                         \
			sum += *slot >> (half);                                \
		return sum;                                                    \
	}

BITS(bits_8, uint64_t, 32)
BITS(bits_2, uint16_t, 8)

/* A bit that is turned in any slot turns the sum's lowest. */
ROW(xor_1, percpu_xor(&h->xor_1, 1), 1)
ROW(xor_8, percpu_xor(&h->xor_8, v), v)

/* Items come and go; each that came is there once until it goes. */
static uint64_t step_stack(uint64_t v)
{
	uint64_t item = 0;

	if (v % 2 == 0)
		return percpu_push(stacks, CAPACITY, v) == 0 ? v : 0;
	return percpu_pop(stacks, &item) == 0 ? 0 - item : 0;
}

static uint64_t items_of(const struct percpu_stack PERCPU *of)
{
	const struct percpu_stack *stack;
	uint64_t sum = 0;

	percpu_for_each_slot (stack, of) {
		CHECK(stack->count <= CAPACITY);
		for (uint64_t i = 0; i < stack->count; i++)
			sum += (&stack->item[0])[i];
	}
	return sum;
}

static uint64_t sum_stack(void)
{
	return items_of(stacks);
}

/* As caches of items do it; without sequences nothing comes or goes. */
static bool push_gated(uint64_t v)
{
	uint64_t top;
	uint64_t n;

	if (!percpu__try_gated_push(magazines, &capacity, v, &n, &top))
		return percpu__magazine_push(magazines, &capacity, v);
	return n < top;
}

static bool pop_gated(uint64_t *item)
{
	uint64_t bottom;
	uint64_t n;

	if (!percpu__try_gated_pop(magazines, &floor_of_magazines, item, &n,
				   &bottom))
		return percpu__magazine_pop(magazines, &floor_of_magazines,
					    item);
	return n > bottom;
}

static uint64_t step_magazine(uint64_t v)
{
	uint64_t item = 0;

	if (v % 2 == 0)
		return push_gated(v) ? v : 0;
	return pop_gated(&item) ? 0 - item : 0;
}

static uint64_t sum_magazine(void)
{
	return items_of(magazines);
}

/* A sequence that looks at a word first. */
static uint64_t step_ref(uint64_t v)
{
	if (v % 2 == 0)
		percpu_ref_get(&ref);
	else
		percpu_ref_put(&ref);
	return v % 2 == 0 ? 1 : UINT64_MAX;
}

static uint64_t sum_ref(void)
{
	return (uint64_t)percpu_ref_val(&ref) - references;
}

/* Of few batches, so that slots are carried all the time. */
static uint64_t step_counter(uint64_t v)
{
	int64_t add = (int64_t)(v % 8) - 3;

	percpu_counter_add_batch(&counter, add, (int32_t)(v / 8 % 8));
	return (uint64_t)add;
}

static uint64_t sum_counter(void)
{
	int64_t off =
		percpu_counter_read(&counter) - percpu_counter_sum(&counter);
	int64_t bound = percpu_counter_error_bound(&counter);

	CHECK(off <= bound && off >= -bound);
	return (uint64_t)percpu_counter_sum(&counter);
}

#define LINE(name, field, bits)                                                \
	{                                                                      \
		name, step_##field, sum_##field, bits                          \
	}

const struct row rows[] = {
	LINE("add, 1 byte", add_1, 8),
	LINE("add, 2 bytes", add_2, 16),
	LINE("add, 4 bytes", add_4, 32),
	LINE("add, 8 bytes", add_8, 64),
	LINE("sub, 1 byte", sub_1, 8),
	LINE("inc, 2 bytes", inc_2, 16),
	LINE("inc, 8 bytes", inc_8, 64),
	LINE("dec, 1 byte", dec_1, 8),
	LINE("dec, 4 bytes", dec_4, 32),
	LINE("percpu_add_u8", twin_1, 8),
	LINE("percpu_add_u64", twin_8, 64),
	LINE("add_return, 1 byte", return_1, 8),
	LINE("add_return, 8 bytes", return_8, 64),
	LINE("xchg, 2 bytes", xchg_2, 16),
	LINE("xchg, 8 bytes", xchg_8, 64),
	LINE("cmpxchg, 1 byte", cmpxchg_1, 8),
	LINE("cmpxchg, 8 bytes", cmpxchg_8, 64),
	LINE("try_cmpxchg, 4 bytes", try_4, 32),
	LINE("add_all, 8 of 8 bytes", all_8, 64),
	LINE("add_all, 4 of 8 bytes", all_4, 64),
	LINE("add_all, 1, 2, 4 bytes", narrow, 8),
	LINE("add_block of 2", block_2, 64),
	LINE("add_block of 4", block_4, 64),
	LINE("add_block of 8", block_8, 64),
	LINE("and, or, xor, 8 bytes", bits_8, 32),
	LINE("and, or, xor, 2 bytes", bits_2, 8),
	LINE("xor, 1 byte", xor_1, 1),
	LINE("xor, 8 bytes", xor_8, 1),
	LINE("push and pop", stack, 64),
	LINE("magazine", magazine, 64),
	LINE("ref", ref, 64),
	LINE("counter", counter, 64),
};

const unsigned nr_rows = sizeof(rows) / sizeof(rows[0]);
