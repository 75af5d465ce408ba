/* SPDX-License-Identifier: MIT */
/*
 * Types have their sizes, flags or together, what is aligned to a cache line
 * has one to itself, what is read mostly lies together, and what counters say is printed as the kernel prints it.
 */
#include "check.h"

#include <percpu/kernel.h>
#include <string.h>

struct groups {
	char first;
	__cacheline_group_begin(read);
	u32 a;
	u64 b;
	__cacheline_group_end(read);
	CACHELINE_PADDING(pad);
	__cacheline_group_begin_aligned(written);
	u32 c;
	__cacheline_group_end_aligned(written);
	u32 d;
};

CACHELINE_ASSERT_GROUP_MEMBER(struct groups, read, a);
CACHELINE_ASSERT_GROUP_MEMBER(struct groups, read, b);
CACHELINE_ASSERT_GROUP_MEMBER(struct groups, written, c);
CACHELINE_ASSERT_GROUP_SIZE(struct groups, read, 16);

static int limit __read_mostly = 4;
static int written;
int kernel_types_more __ro_after_init;
extern const char __start_percpu_read_mostly[], __stop_percpu_read_mostly[];

/* They are all in one place, and others are not. */
static bool lies_there(const int *p)
{
	return (uintptr_t)p >= (uintptr_t)__start_percpu_read_mostly &&
	       (uintptr_t)p < (uintptr_t)__stop_percpu_read_mostly;
}

static void together(void)
{
	CHECK(lies_there(&limit) && lies_there(&kernel_types_more));
	CHECK(!lies_there(&written));
	CHECK_EQ(limit + kernel_types_more + written, 4);
}

static void groups(void)
{
	CHECK(offsetof(struct groups, c) - offsetof(struct groups, b) >
	      PERCPU_LINE);
	CHECK_EQ(offsetof(struct groups, c) % PERCPU_LINE, 0);
	CHECK_EQ(offsetof(struct groups, d) % PERCPU_LINE, 0);
	CHECK_EQ(sizeof(struct percpu__kernel_nothing), 0);
}

struct apart {
	u32 a;
	u32 b ____cacheline_aligned_in_smp;
} ____cacheline_aligned;

static void sizes(void)
{
	u64 most = ~0ull;
	s64 least = -1ll;

	CHECK_EQ(sizeof(u8) + sizeof(u16) + sizeof(u32) + sizeof(u64), 15);
	CHECK_EQ(sizeof(s8) + sizeof(s16) + sizeof(s32) + sizeof(s64), 15);
	CHECK(most > 0 && least < 0);
}

/* What the compiler looks at. */
#pragma GCC diagnostic error "-Wformat"
static void printed(void)
{
	struct percpu_counter c = PERCPU_COUNTER_INITIALIZER(3);
	struct percpu_counter_tree_level_item item;
	struct percpu_counter_tree t;
	char text[80];

	CHECK(percpu_counter_tree_init(&t, &item, 32, GFP_KERNEL) == 0);
	snprintf(text, sizeof(text), "%lld %lld %lld %lld %lld",
		 percpu_counter_read(&c), percpu_counter_sum(&c),
		 percpu_counter_read_positive(&c), __percpu_counter_sum(&c),
		 percpu_counter_sum_positive(&c));
	CHECK(strcmp(text, "3 3 3 3 3") == 0);
	snprintf(text, sizeof(text), "%lld %lld %lld %lld",
		 percpu_counter_tree_approximate_sum(&t),
		 percpu_counter_tree_approximate_sum_positive(&t),
		 percpu_counter_tree_precise_sum(&t),
		 percpu_counter_tree_precise_sum_positive(&t));
	CHECK(strcmp(text, "0 0 0 0") == 0);
	percpu_counter_tree_destroy(&t);
	percpu_counter_destroy(&c);
}

int main(void)
{
	gfp_t gfp = GFP_KERNEL | GFP_NOWAIT | __GFP_ZERO;

	sizes();
	together();
	groups();
	printed();
	CHECK(gfp != GFP_ATOMIC);
	CHECK_EQ(offsetof(struct apart, b), SMP_CACHE_BYTES);
	CHECK_EQ(sizeof(struct apart), 2 * L1_CACHE_BYTES);
	CHECK_EQ(L1_CACHE_ALIGN(1), L1_CACHE_BYTES);
	CHECK_EQ(SMP_CACHE_ALIGN(1), INTERNODE_CACHE_BYTES);
	CHECK_EQ(cache_line_size(), percpu_line_size());
	return TEST_PASS;
}
