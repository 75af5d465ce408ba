/* SPDX-License-Identifier: MIT */
#include "layout.h"

#include "os.h"

#define CHUNK_TARGET (16u << 20)
#define UNIT_MIN (64u << 10)
#define UNIT_MAX (1u << 20)

uint64_t percpu__layout_align(uint32_t slots)
{
	uint64_t least = 4 * (uint64_t)percpu__os_page_size();
	uint64_t align = UNIT_MAX;

	while (align > UNIT_MIN && align * ((uint64_t)slots + 2) > CHUNK_TARGET)
		align /= 2;
	return align < least ? least : align;
}

uint64_t percpu__layout_stride(uint32_t slots)
{
	return percpu__layout_align(slots) - percpu__os_page_size();
}
