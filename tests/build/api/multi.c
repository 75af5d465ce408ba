/* SPDX-License-Identifier: MIT */
/*
 * multi.h in C, and through multi.cc in C++: every count of pairs and fields,
 * each width, signed and unsigned; values convert, arguments are evaluated
 * once.
 */
#include <percpu/percpu.h>

#include "check.h"

struct pack {
	uint64_t u64[8];
	int64_t i64[2];
	int8_t i8;
	uint8_t u8;
	int16_t i16;
	uint16_t u16;
	int32_t i32;
	uint32_t u32;
} __attribute__((aligned(64)));

static struct pack PERCPU *h;

static void blocks(void)
{
	const uint64_t more[3] = { 1, 2, 3 };

	percpu_add_block(&h->u64[0], 1, 2);
	percpu_add_block(&h->u64[0], 10, 20, 30, 40);
	percpu_add_block(&h->u64[0], 100, 200, 300, 400, 500, 600, 700, -1);
	percpu_add_block(&h->i64[0], -5, (uint32_t)1);
	percpu_add_block_u64(h, more, 3);
	CHECK_EQ(percpu_sum(&h->u64[0]), 112);
	CHECK_EQ(percpu_sum(&h->u64[1]), 224);
	CHECK_EQ(percpu_sum(&h->u64[2]), 333);
	CHECK_EQ(percpu_sum(&h->u64[3]), 440);
	CHECK_EQ(percpu_sum(&h->u64[6]), 700);
	CHECK_EQ(percpu_sum(&h->u64[7]), UINT64_MAX);
	CHECK(percpu_sum(&h->i64[0]) == -5);
	CHECK(percpu_sum(&h->i64[1]) == 1);
}

/* Field k gets 1 from each call that has more than k pairs. */
static void counts(void)
{
	struct pack PERCPU *p = h;

	percpu_add_all(&p->i8, 1);
	percpu_add_all(&p->i8, 1, &p->u8, 1);
	percpu_add_all(&p->i8, 1, &p->u8, 1, &p->i16, 1);
	percpu_add_all(&p->i8, 1, &p->u8, 1, &p->i16, 1, &p->u16, 1);
	percpu_add_all(&p->i8, 1, &p->u8, 1, &p->i16, 1, &p->u16, 1, &p->i32,
		       1);
	percpu_add_all(&p->i8, 1, &p->u8, 1, &p->i16, 1, &p->u16, 1, &p->i32, 1,
		       &p->u32, 1);
	percpu_add_all(&p->i8, 1, &p->u8, 1, &p->i16, 1, &p->u16, 1, &p->i32, 1,
		       &p->u32, 1, &p->i64[0], 1);
	percpu_add_all(&p->i8, 1, &p->u8, 1, &p->i16, 1, &p->u16, 1, &p->i32, 1,
		       &p->u32, 1, &p->i64[0], 1, &p->i64[1], 1);
	CHECK(percpu_sum(&p->i8) == 8);
	CHECK(percpu_sum(&p->u8) == 7);
	CHECK(percpu_sum(&p->i16) == 6);
	CHECK(percpu_sum(&p->u16) == 5);
	CHECK(percpu_sum(&p->i32) == 4);
	CHECK(percpu_sum(&p->u32) == 3);
	CHECK(percpu_sum(&p->i64[0]) == -3);
	CHECK(percpu_sum(&p->i64[1]) == 2);
}

static void once(void)
{
	uint64_t PERCPU *p = &h->u64[0];
	int v = 0;
	uint64_t before = percpu_sum(p);
	uint64_t next = percpu_sum(p + 1);

	percpu_add_all(p++, v++, &h->u8, -7);
	CHECK_EQ((uintptr_t)p, (uintptr_t)&h->u64[1]);
	CHECK(v == 1);
	percpu_add_all(p++, v++, &h->u16, -5, &h->i8, -8, &h->i16, -7, &h->u32,
		       0xffffffffu);
	CHECK_EQ((uintptr_t)p, (uintptr_t)&h->u64[2]);
	CHECK(v == 2);
	percpu_add_block(p++, v++, 0);
	CHECK_EQ((uintptr_t)p, (uintptr_t)&h->u64[3]);
	CHECK(v == 3);
	CHECK_EQ(percpu_sum(&h->u64[0]), before);
	CHECK_EQ(percpu_sum(&h->u64[1]), next + 1);
	CHECK_EQ(percpu_sum(&h->u8), 0);
	CHECK_EQ(percpu_sum(&h->u16), 0);
	CHECK(percpu_sum(&h->i16) == -1);
	CHECK_EQ(percpu_sum(&h->u32), 2);
}

int main(void)
{
	h = percpu_new(struct pack);
	CHECK(h != NULL);
	blocks();
	counts();
	once();
	percpu_free(h);
	return TEST_PASS;
}
