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
};

static struct object PERCPU *h;

void rows_init(void)
{
	h = percpu_new(struct object);
	CHECK(h != NULL);
	CHECK(nr_rows <= ROWS_MAX);
}

/* A row of one field: @step, an expression of v, changes the sum by @change. */
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

#define LINE(name, field, bits)                                                \
	{                                                                      \
		name, step_##field, sum_##field, bits                          \
	}

const struct row rows[] = {
	LINE("add, 1 byte", add_1, 8),	    LINE("add, 2 bytes", add_2, 16),
	LINE("add, 4 bytes", add_4, 32),    LINE("add, 8 bytes", add_8, 64),
	LINE("sub, 1 byte", sub_1, 8),	    LINE("inc, 2 bytes", inc_2, 16),
	LINE("inc, 8 bytes", inc_8, 64),    LINE("dec, 1 byte", dec_1, 8),
	LINE("dec, 4 bytes", dec_4, 32),    LINE("percpu_add_u8", twin_1, 8),
	LINE("percpu_add_u64", twin_8, 64),
};

const unsigned nr_rows = sizeof(rows) / sizeof(rows[0]);
