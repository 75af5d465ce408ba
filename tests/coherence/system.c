/* SPDX-License-Identifier: MIT */
/*
 * system.c: what the library hears from the system in the model, in place of
 * some functions of os_linux.c (ld --wrap). Memory is the real system's.
 */
#include "os.h"

#include "model.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

const char *model_policy = "rseq";

/* Address space from here on is free in any process of this program. */
#define ARENA ((uintptr_t)1 << 44)

/* The linker's names. */
#pragma GCC diagnostic ignored "-Wmissing-prototypes"

int __wrap_percpu__os_cpu(void)
{
	return (int)model_cpu();
}

/* Always the same addresses: where chunks lie decides how they are found. */
void *__wrap_percpu__os_reserve_aligned(size_t len, size_t align)
{
	static uintptr_t end = ARENA;
	uintptr_t at = (end + align - 1) & ~(uintptr_t)(align - 1);

	end = at + len;
	if (mmap((void *)at, len, PROT_NONE,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE |
			 MAP_FIXED_NOREPLACE,
		 -1, 0) != (void *)at)
		abort();
	return (void *)at;
}

void *__wrap_percpu__os_reserve(size_t len)
{
	return __wrap_percpu__os_reserve_aligned(len, percpu__os_page_size());
}

/* Of all of /sys only the list of CPUs. */
int __wrap_percpu__os_read_file(const char *path, char *buf, size_t size)
{
	if (strstr(path, "/possible") == NULL)
		return -ENOENT;
	return snprintf(buf, size, "0-%u\n", model_cpus() - 1);
}

int __wrap_percpu__os_affinity(unsigned long *mask, size_t bytes)
{
	(void)mask;
	(void)bytes;
	return -ENOSYS;
}

/* The model's libc has registered each thread. */
int __wrap_percpu__os_rseq(void *area, uint32_t len, int flags, uint32_t sig)
{
	(void)area;
	(void)len;
	(void)flags;
	(void)sig;
	return -EBUSY;
}

/* Whoever frees objects here has not written to them: no page exists. */
int __wrap_percpu__os_resident(const void *p, size_t pages, uint64_t *bits)
{
	(void)p;
	memset(bits, 0, (pages + 63) / 64 * sizeof(*bits));
	return 0;
}

bool __wrap_percpu__os_has_cid(void)
{
	return false;
}

bool model_fences;

int __wrap_percpu__os_membarrier(int cmd, unsigned flags, int cpu)
{
	(void)cmd;
	(void)flags;
	(void)cpu;
	return model_fences ? 0 : -ENOSYS;
}

void __wrap_percpu__os_doze(void)
{
	model_yield();
}

void __wrap_percpu__os_wait(uint32_t *word, uint32_t value, unsigned ms)
{
	(void)word;
	(void)value;
	(void)ms;
	model_yield();
}

void __wrap_percpu__os_wake(uint32_t *word)
{
	(void)word;
}

/* Time stands still. */
uint64_t __wrap_percpu__os_seconds(void)
{
	return 1;
}

const char *__wrap_percpu__os_env(const char *name)
{
	return strcmp(name, "PERCPU_BACKEND") == 0 ? model_policy : NULL;
}
