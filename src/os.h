/* SPDX-License-Identifier: MIT */
#ifndef PERCPU_SRC_OS_H
#define PERCPU_SRC_OS_H
/*
 * os.h: everything the library asks of the system, and nothing else does.
 *
 * Lengths of memory are multiples of the page size. Functions that return int
 * return 0 or a positive count, or -errno; none sets errno on purpose, none
 * allocates with malloc. Tests replace any of them (ld --wrap) to make its
 * n-th call fail.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes of a page, a power of two. */
size_t percpu__os_page_size(void);

/* @len bytes of address space that nothing may access; NULL if none is left. */
void *percpu__os_reserve(size_t len);

/*
 * Make reserved memory readable and writable, zero, page by page when it is
 * touched: never in huge pages, which would cross from a unit to the next.
 */
int percpu__os_commit(void *p, size_t len);

/* Give back what percpu__os_reserve() returned, whole. */
void percpu__os_release(void *p, size_t len);

/* Up to @size - 1 bytes of a file, and a 0 after them; the count of bytes. */
int percpu__os_read_file(const char *path, char *buf, size_t size);

/*
 * The CPUs that may run this thread as a bit map of longs, zero beyond what
 * the kernel has; -EINVAL if it has more than @bytes.
 */
int percpu__os_affinity(unsigned long *mask, size_t bytes);

/* How many CPU ids the kernel's own masks have room for, in whole longs. */
int percpu__os_mask_bits(void);

/* The CPU this thread runs on. It fails always or never. Leaves errno alone. */
int percpu__os_cpu(void);

int percpu__os_rseq(void *area, uint32_t len, int flags, uint32_t sig);

/* Whether the kernel keeps mm_cid in rseq areas (Linux 6.3). */
bool percpu__os_has_cid(void);

int percpu__os_membarrier(int cmd, unsigned flags, int cpu);

/* Leave the CPU and come back to it, as soon as the kernel will have it. */
void percpu__os_doze(void);

/* The environment's word for @name, NULL in programs with more rights. */
const char *percpu__os_env(const char *name);

/* Write all of @text to standard error, as far as it takes it. */
void percpu__os_complain(const char *text, size_t len);

#endif
