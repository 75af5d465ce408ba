/* SPDX-License-Identifier: MIT */
#ifndef TESTS_ALLOC_MEMORY_H
#define TESTS_ALLOC_MEMORY_H
/*
 * memory.h: this process's memory as the kernel counts it, in bytes, without
 * the counters that lag behind.
 */
#include "check.h"

/* Resident memory, without page tables. */
static inline size_t resident(void)
{
	FILE *f = fopen("/proc/self/smaps_rollup", "r");
	char line[256];
	size_t kib = 0;

	if (f == NULL)
		SKIP("no /proc/self/smaps_rollup");
	while (fgets(line, sizeof(line), f) != NULL)
		if (sscanf(line, "Rss: %zu kB", &kib) == 1)
			break;
	fclose(f);
	return kib * 1024;
}

/* Mappings. */
static inline unsigned mappings(void)
{
	FILE *f = fopen("/proc/self/maps", "r");
	unsigned lines = 0;
	int c;

	if (f == NULL)
		SKIP("no /proc/self/maps");
	while ((c = getc(f)) != EOF)
		lines += c == '\n';
	fclose(f);
	return lines;
}

#endif
