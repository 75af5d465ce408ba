/* SPDX-License-Identifier: MIT */
/*
 * Where 39 bits of addresses are left, as on some machines with RISC-V or
 * AArch64, objects are had, counted in and freed as elsewhere. All addresses
 * beyond are taken here, but for those that the program has already.
 */
#include "limit.h"

#include <sys/mman.h>

#define FIRST_TAKEN ((uintptr_t)1 << 39)
#define END ((uintptr_t)1 << 47)

static void take_addresses(uintptr_t from, uintptr_t to)
{
	void *p = (void *)from;

	if (from < to && mmap(p, to - from, PROT_NONE,
			      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE |
				      MAP_FIXED_NOREPLACE,
			      -1, 0) != p)
		SKIP("cannot take %#zx to %#zx: %s", (size_t)from, (size_t)to,
		     strerror(errno));
}

/* Fill the gaps between mappings; the list grows meanwhile, so copy it. */
static void take_all(void)
{
	static struct {
		uintptr_t from, to;
	} maps[1024];
	unsigned count = 0;
	uintptr_t at = FIRST_TAKEN;
	FILE *f = fopen("/proc/self/maps", "r");

	CHECK(f != NULL);
	while (count < 1024 && fscanf(f, "%zx-%zx%*[^\n]", &maps[count].from,
				      &maps[count].to) == 2)
		count++;
	fclose(f);
	CHECK(count > 0 && count < 1024);
	for (unsigned i = 0; i < count && maps[i].to <= END; i++) {
		take_addresses(at, maps[i].from);
		if (maps[i].to > at)
			at = maps[i].to;
	}
	/* The last page of all cannot be had. */
	take_addresses(at, END - 65536);
}

int main(void)
{
	if (!MEMORY_IS_OURS || sizeof(void *) < 8)
		SKIP("a sanitizer needs addresses of its own");
	take_all();
	pool.size = 1024;
	CHECK(!pool_fill((unsigned)(4 * percpu_max_size() / 1024)));
	for (unsigned i = 0; i < pool.count; i++) {
		uint64_t PERCPU *h = (uint64_t PERCPU *)pool.h[i] + 1;

		CHECK((uintptr_t)percpu_shared_ptr(h) < FIRST_TAKEN);
		percpu_inc(h);
		CHECK_EQ(percpu_sum(h), 1);
	}
	pool_check();
	pool_free(1);
	return TEST_PASS;
}
