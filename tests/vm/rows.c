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
};

enum { CAPACITY = 8 };

static struct object PERCPU *h;
static struct percpu_stack PERCPU *stacks;
static struct percpu_counter counter;

void rows_init(void)
{
	h = percpu_new(struct object);
	stacks = percpu_stack_new(CAPACITY);
	CHECK(h != NULL && stacks != NULL);
	CHECK(percpu_counter_init(&counter, 0) == 0);
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

/* Items come and go; each that came is there once until it goes. */
static uint64_t step_stack(uint64_t v)
{
	uint64_t item = 0;

	if (v % 2 == 0)
		return percpu_push(stacks, CAPACITY, v) == 0 ? v : 0;
	return percpu_pop(stacks, &item) == 0 ? 0 - item : 0;
}

static uint64_t sum_stack(void)
{
	const struct percpu_stack *stack;
	uint64_t sum = 0;

	percpu_for_each_slot (stack, stacks) {
		CHECK(stack->count <= CAPACITY);
		for (uint64_t i = 0; i < stack->count; i++)
			sum += (&stack->item[0])[i];
	}
	return sum;
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
	LINE("push and pop", stack, 64),
	LINE("counter", counter, 64),
};

const unsigned nr_rows = sizeof(rows) / sizeof(rows[0]);
