/* SPDX-License-Identifier: MIT */
#ifndef TESTS_SUPPORT_MEMORY_H
#define TESTS_SUPPORT_MEMORY_H
/*
 * memory.h: this process's memory as the kernel counts it, in bytes, without
 * the counters that lag behind.
 */
#include "check.h"

/*
 * A sanitizer, or the emulator that runs this, maps memory of its own too. With
 * PERCPU_DEBUG objects are larger, and kept when they are free, and no page
 * goes from under a live one.
 */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define MEMORY_IS_OURS 0
#else
#define MEMORY_IS_OURS                                                         \
	(getenv("MESON_EXE_WRAPPER") == NULL && getenv("PERCPU_DEBUG") == NULL)
#endif

#include <string.h>

/* The bytes that @name has in a /proc file of lines "NAME: number kB". */
static inline size_t kilobytes(const char *path, const char *name)
{
	FILE *f = fopen(path, "r");
	char line[256];
	size_t kib = 0;

	if (f == NULL)
		SKIP("no %s", path);
	while (fgets(line, sizeof(line), f) != NULL)
		if (strncmp(line, name, strlen(name)) == 0)
			kib = strtoul(line + strlen(name) + 1, NULL, 10);
	fclose(f);
	return kib * 1024;
}

/* Resident memory that is no file's, without page tables and the zero page. */
static inline size_t resident(void)
{
	return kilobytes("/proc/self/smaps_rollup", "Anonymous");
}

static inline size_t address_space(void)
{
	return kilobytes("/proc/self/status", "VmSize");
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
