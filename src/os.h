/* SPDX-License-Identifier: MIT */
#ifndef PERCPU_SRC_OS_H
#define PERCPU_SRC_OS_H
/*
 * os.h: everything the library asks of the system, and nothing else does.
 *
 * Lengths of memory are multiples of the page size. Functions that return int
 * return 0 or a positive count, or -errno; none sets errno on purpose, none
 * allocates with malloc; in none is a thread cancelled. Tests replace any of
 * them (ld --wrap) to make its n-th call fail.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes of a page, a power of two. */
size_t percpu__os_page_size(void);

/* @len, made whole pages. */
static inline size_t percpu__os_pages(size_t len)
{
	size_t page = percpu__os_page_size();

	return (len + page - 1) & ~(page - 1);
}

/* @len bytes of address space that nothing may access; NULL if none is left. */
void *percpu__os_reserve(size_t len);

/*
 * The same at a multiple of @align, a power of two; if the space is cut up, it
 * takes @len + @align for a moment.
 */
void *percpu__os_reserve_aligned(size_t len, size_t align);

/*
 * Make reserved memory readable and writable, zero, page by page when it is
 * touched: never in huge pages, which would cross from a unit to the next.
 */
int percpu__os_commit(void *p, size_t len);

/* Make reserved memory readable, and no more: it stays zero. */
int percpu__os_show(void *p, size_t len);

/* Give back what was reserved, whole. */
void percpu__os_release(void *p, size_t len);

/* Memory that is reserved and committed; NULL if either cannot be. */
static inline void *percpu__os_map(size_t len)
{
	void *p = percpu__os_reserve(len);

	if (p == NULL || percpu__os_commit(p, len) == 0)
		return p;
	percpu__os_release(p, len);
	return NULL;
}

/* Committed pages become zero, take no memory; -EINVAL if they are locked. */
int percpu__os_drop(void *p, size_t len);

/* Make committed memory resident now, if the system can (Linux 5.14). */
void percpu__os_populate(void *p, size_t len);

/* Committed memory is zero in a child of fork (Linux 4.14). */
int percpu__os_wipe_on_fork(void *p, size_t len);

/*
 * Which of @pages pages from @p on take memory, or swap, now: bit i of @bits
 * for the i-th. -errno where the system does not tell; those that it tells to
 * take none are zero. Before Linux 6.7 it says of one that was only read, too,
 * that it takes memory.
 */
int percpu__os_resident(const void *p, size_t pages, uint64_t *bits);

/* Up to @size - 1 bytes of a file, and a 0 after them; the count of bytes. */
int percpu__os_read_file(const char *path, char *buf, size_t size);

/*
 * The CPUs that may run this thread as a bit map of longs, zero beyond what
 * the kernel has; -EINVAL if it has more than @bytes.
 */
int percpu__os_affinity(unsigned long *mask, size_t bytes);

/* The same of thread @id, 0 for this one; -ESRCH if there is none. */
int percpu__os_affinity_of(int id, unsigned long *mask, size_t bytes);

/*
 * Call @more for each thread of this process, by its number, until it says
 * false. Those that begin or end meanwhile may be missed. -errno where /proc is
 * hidden, or another namespace's.
 */
int percpu__os_threads(bool (*more)(int id, void *arg), void *arg);

/* The number of the first thread of this process. */
int percpu__os_process(void);

/* How many CPU ids the kernel's own masks have room for, in whole longs. */
int percpu__os_mask_bits(void);

/* The CPU this thread runs on. It fails always or never. Leaves errno alone. */
int percpu__os_cpu(void);

/* The number of this thread, for percpu__os_bind() of another. */
int percpu__os_thread(void);

/* Keep this thread to these CPUs, a map of longs, as far as the system will. */
void percpu__os_keep(const unsigned long *mask, size_t bytes);

/* Bind thread @id, 0 for this one, to @cpu; -EINVAL: the system will not. */
int percpu__os_bind(int id, unsigned cpu);

/* Name this thread, in at most 15 bytes, for those who look. */
void percpu__os_name(const char *name);

int percpu__os_rseq(void *area, uint32_t len, int flags, uint32_t sig);

/* Whether the kernel keeps mm_cid in rseq areas (Linux 6.3). */
bool percpu__os_has_cid(void);

int percpu__os_membarrier(int cmd, unsigned flags, int cpu);

/* Leave the CPU and come back to it, as soon as the kernel will have it. */
void percpu__os_doze(void);

/*
 * Sleep while *@word is @value, until somebody wakes a sleeper of that word, a
 * signal comes or @ms have passed; or wake up for nothing.
 */
void percpu__os_wait(uint32_t *word, uint32_t value, unsigned ms);
void percpu__os_wake(uint32_t *word);
void percpu__os_wake_all(uint32_t *word);

/* Seconds since some time, never backwards; a few milliseconds late. */
uint64_t percpu__os_seconds(void);

/* The environment's word for @name, NULL in programs with more rights. */
const char *percpu__os_env(const char *name);

/* The same in 1/256 seconds. */
uint32_t percpu__os_ticks(void);

/*
 * A descriptor at which the kernel's events of devices can be taken; closed by
 * exec.
 */
int percpu__os_events_open(void);

/*
 * One event, as the kernel has it, cut off to @size - 1 bytes, and a 0 after
 * it; its length. -EAGAIN: there is none; -ENOBUFS: some were lost.
 */
int percpu__os_events_take(int fd, char *buf, size_t size);

/* A descriptor that has something to read from when it is rung; as above. */
int percpu__os_events_bell(void);
void percpu__os_events_ring(int bell);

/*
 * Sleep until one of @fds has something to read, @ms have passed or a signal
 * comes; 1 if the second has. One that the program has closed becomes -1, which
 * is none. -EINVAL: it may have no two descriptors any more.
 */
int percpu__os_events_wait(int fds[2], unsigned ms);

/* Either kind; -1 is none. */
void percpu__os_events_close(int fd);

/* Write all of @text to standard error, as far as it takes it. */
void percpu__os_complain(const char *text, size_t len);

#endif
