/* SPDX-License-Identifier: MIT */
/*
 * Conformance 36: a variable has its type's alignment in every slot, and one of
 * PERCPU_DEFINE_CACHELINE shares no line.
 */
#include "check.h"

#include <percpu/percpu.h>

struct page {
	_Alignas(4096) char bytes[10];
};

struct wide {
	_Alignas(2 * PERCPU_LINE) char bytes[3];
};

#define SIX(X) X(1) X(2) X(3) X(4) X(5) X(6)
#define SMALL(n)                                                               \
	static PERCPU_DEFINE_CACHELINE(char, line##n);                         \
	static PERCPU_DEFINE(char, byte##n);

SIX(SMALL)
static PERCPU_DEFINE(struct page, page);
static PERCPU_DEFINE(struct wide, wide);
static PERCPU_DEFINE_CACHELINE(struct wide, lines);
static PERCPU_DEFINE(uint64_t, word);

static void check(const void *h, size_t align)
{
	CHECK(h != NULL);
	for (unsigned i = 0; i <= percpu_nr_slots(); i++)
		CHECK_EQ((uintptr_t)percpu_ptr_raw((void *)(uintptr_t)h, i) %
				 align,
			 0);
}

static void check_alone(void *h)
{
	CHECK_EQ((uintptr_t)h % PERCPU_LINE, 0);
	CHECK(percpu_usable_size(h) >= PERCPU_LINE);
}

int main(void)
{
#define ALONE(n) check_alone(percpu_var(line##n));
	SIX(ALONE)
	check(percpu_var(page), 4096);
	check(percpu_var(wide), 2 * PERCPU_LINE);
	check(percpu_var(lines), 2 * PERCPU_LINE);
	check(percpu_var(word), 8);
	CHECK(percpu_usable_size(percpu_var(lines)) >= sizeof(struct wide));
	return TEST_PASS;
}
