/* SPDX-License-Identifier: MIT */
#include "layout.h"

#include "os.h"

#define CHUNK_TARGET (16u << 20)
#define UNIT_MIN (64u << 10)
#define UNIT_MAX (1u << 20)

uint64_t percpu__layout_stride(uint32_t slots)
{
	uint64_t page = percpu__os_page_size();
	uint64_t unit = CHUNK_TARGET / ((uint64_t)slots + 2);
	uint64_t pages;

	if (unit < UNIT_MIN)
		unit = UNIT_MIN;
	if (unit > UNIT_MAX)
		unit = UNIT_MAX;
	pages = unit / page | 1;
	return (pages < 3 ? 3 : pages) * page;
}
