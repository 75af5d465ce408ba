/* SPDX-License-Identifier: MIT */
/*
 * Types have their sizes, flags or together, and what is aligned to a cache
 * line has one to itself.
 */
#include "check.h"

#include <percpu/kernel.h>

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

int main(void)
{
	gfp_t gfp = GFP_KERNEL | GFP_NOWAIT | __GFP_ZERO;

	sizes();
	CHECK(gfp != GFP_ATOMIC);
	CHECK_EQ(offsetof(struct apart, b), SMP_CACHE_BYTES);
	CHECK_EQ(sizeof(struct apart), 2 * L1_CACHE_BYTES);
	CHECK_EQ(L1_CACHE_ALIGN(1), L1_CACHE_BYTES);
	CHECK_EQ(cache_line_size(), percpu_line_size());
	return TEST_PASS;
}
