/* SPDX-License-Identifier: MIT */
/*
 * footprint.c: 10,000 objects of 8 bytes that threads on two CPUs write to; the
 * memory that takes, in bytes. footprint.sh compares.
 */
#include "slots.h"

#include "cpus.h"
#include "memory.h"

#define OBJECTS 10000u

static uint64_t PERCPU *h[OBJECTS];

/* Resident bytes as /proc/self/smaps has them; page tables are not in it. */
static size_t rss(void)
{
	FILE *f = fopen("/proc/self/smaps", "r");
	char line[256];
	size_t kib = 0;

	if (f == NULL)
		SKIP("no /proc/self/smaps");
	while (fgets(line, sizeof(line), f) != NULL)
		if (strncmp(line, "Rss:", 4) == 0)
			kib += strtoul(line + 4, NULL, 10);
	fclose(f);
	return kib * 1024;
}

static void *write_all(void *arg)
{
	move_to(*(unsigned *)arg);
	for (unsigned i = 0; i < OBJECTS && h[i] != NULL; i++)
		percpu_inc(h[i]);
	return NULL;
}

static void write_on_both(void)
{
	in_thread(write_all, &cpus[0]);
	in_thread(write_all, &cpus[1]);
}

int main(void)
{
	size_t before;

	if (!MEMORY_IS_OURS)
		SKIP("a sanitizer counts with us");
	find_two_cpus();
	h[0] = percpu_new(uint64_t);
	CHECK(h[0] != NULL);
	write_on_both();
	CHECK_EQ(percpu_sum(h[0]), 2);
	percpu_free(h[0]);
	percpu_trim();
	memset(h, 0, sizeof(h));
	rss();
	before = rss();
	for (unsigned i = 0; i < OBJECTS; i++) {
		h[i] = percpu_new(uint64_t);
		CHECK(h[i] != NULL);
	}
	write_on_both();
	for (unsigned i = 0; i < OBJECTS; i++)
		CHECK_EQ(percpu_sum(h[i]), 2);
	printf("%zu %u\n", rss() - before, percpu_nr_slots());
	return TEST_PASS;
}
