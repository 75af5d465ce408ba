/* SPDX-License-Identifier: MIT */
/* percpu bench H1: the old layouts share the lines that they shared in 2008. */
#include "bench/h1_layout.h"
#include "check.h"

#include <percpu/base.h>

#include <stdbool.h>

static size_t line(const void *p)
{
	return (uintptr_t)p / PERCPU_LINE;
}

/* What lies on one line. */
struct sharing {
	bool pieces;	  /* the CPUs' pieces */
	bool table_first; /* the table and CPU 0's piece */
	bool table_second;
};

static void expect(size_t size, size_t smallest, struct sharing want,
		   size_t bytes, size_t per_cpu)
{
	struct h1_layout l;

	CHECK_EQ(h1_layout_make(&l, size, smallest), 0);
	CHECK_EQ(line(l.table[0]) == line(l.table[1]), want.pieces);
	CHECK_EQ(line(l.table) == line(l.table[0]), want.table_first);
	CHECK_EQ(line(l.table) == line(l.table[1]), want.table_second);
	CHECK_EQ(h1_layout_bytes(&l), bytes);
	CHECK_EQ(h1_layout_bytes_per_cpu(&l), per_cpu);
	CHECK_EQ((uintptr_t)l.table % PERCPU_LINE, 0);
	h1_layout_free(&l);
	h1_layout_free(&l);
}

int main(void)
{
	const struct sharing all = { true, true, true };
	const struct sharing none = { false, false, false };
	const struct sharing table = { PERCPU_LINE > 64, true,
				       PERCPU_LINE > 64 };

	expect(8, 8, all, 16 + 2 * 8, 8 + 8);
	expect(16, 8, all, 16 + 2 * 16, 8 + 16);
	expect(16, 32, table, 32 + 2 * 32, 8 + 32);
	expect(16, PERCPU_LINE, none, 3 * PERCPU_LINE, 8 + PERCPU_LINE);
	return TEST_PASS;
}
