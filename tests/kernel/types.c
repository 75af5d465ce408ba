/* SPDX-License-Identifier: MIT */
/*
 * Types have their sizes, flags or together, what is aligned to a cache line
 * has one to itself, and what counters say is printed as the kernel prints it.
 */
#include "check.h"

#include <percpu/kernel.h>
#include <string.h>

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
	printed();
	CHECK(gfp != GFP_ATOMIC);
	CHECK_EQ(offsetof(struct apart, b), SMP_CACHE_BYTES);
	CHECK_EQ(sizeof(struct apart), 2 * L1_CACHE_BYTES);
	CHECK_EQ(L1_CACHE_ALIGN(1), L1_CACHE_BYTES);
	CHECK_EQ(cache_line_size(), percpu_line_size());
	return TEST_PASS;
}
