/* SPDX-License-Identifier: MIT */
#include "resident.h"

#include "bits.h"
#include "os.h"

/* Pages asked after at a time. */
#define ASK 4096u

size_t percpu__resident_bytes(const void *p, size_t len)
{
	uint64_t bits[ASK / PERCPU__WORD_BITS];
	size_t page = percpu__os_page_size();
	size_t bytes = 0;

	while (len > 0) {
		size_t n = len / page < ASK ? len / page : ASK;

		if (percpu__os_resident(p, n, bits) < 0)
			return bytes + len;
		bytes += page * percpu__bits_count(bits, 0, (uint32_t)n);
		p = (const char *)p + n * page;
		len -= n * page;
	}
	return bytes;
}
