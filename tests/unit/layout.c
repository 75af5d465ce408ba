/* SPDX-License-Identifier: MIT */
/*
 * The stride is an odd number of pages, three or more, large where slots are
 * few and bounded where they are many, for pages of 4, 16 and 64 KiB.
 */
#include "layout.h"
#include "check.h"
#include "os.h"

static size_t page;

size_t percpu__os_page_size(void)
{
	return page;
}

static void check_stride(uint32_t slots, uint64_t before)
{
	uint64_t stride = percpu__layout_stride(slots);
	uint64_t align = percpu__layout_align(slots);
	uint64_t chunk = stride * (slots + 2ull);

	CHECK_EQ(stride % page, 0);
	CHECK_EQ(stride / page % 2, 1);
	CHECK(stride >= 3 * page);
	CHECK(stride + page >= 64u << 10);
	CHECK(stride < 1u << 20);
	/* A handle tells where its chunk begins. */
	CHECK_EQ(align & (align - 1), 0);
	CHECK(stride <= align);
	/* More slots never make units larger. */
	CHECK(stride <= before);
	/* Few slots fill the target, many get the least unit. */
	if (slots > 254)
		CHECK(stride <= (64u << 10) + page || stride == 3 * page);
	else
		CHECK(chunk <= (16u << 20) + (slots + 2ull) * 2 * page);
}

int main(void)
{
	for (page = 4096; page <= 65536; page *= 4) {
		uint64_t before = UINT64_MAX;

		for (uint32_t slots = 1; slots <= 8192; slots++) {
			check_stride(slots, before);
			before = percpu__layout_stride(slots);
		}
		check_stride(65536, before);
	}
	page = 4096;
	CHECK_EQ(percpu__layout_stride(2), (1u << 20) - 4096);
	CHECK_EQ(percpu__layout_stride(256), (64u << 10) - 4096);
	return TEST_PASS;
}
