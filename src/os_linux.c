/* SPDX-License-Identifier: MIT */
/*
 * os_linux.c: the system calls of the library, but for those about CPUs
 * (os_linux_cpus.c). See os.h for what each promises.
 */
#include "os.h"

#include "os_raw.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#ifndef __NR_rseq
#error "kernel headers older than Linux 4.18"
#endif
#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif
#ifndef AT_RSEQ_FEATURE_SIZE
#define AT_RSEQ_FEATURE_SIZE 27
#endif

size_t percpu__os_page_size(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

void *percpu__os_reserve(size_t len)
{
	void *p = mmap(NULL, len, PROT_NONE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

/* Reserve at @at, or NULL: the system may have put something there. */
static void *reserve_at(void *at, size_t len)
{
	void *p = mmap(at, len, PROT_NONE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (p == MAP_FAILED || p == at)
		return p == at ? p : NULL;
	munmap(p, len);
	return NULL;
}

/* Take more than is needed and give the ends back. */
static void *reserve_and_cut(size_t len, size_t align)
{
	char *p = percpu__os_reserve(len + align);
	size_t before;

	if (p == NULL)
		return NULL;
	before = -(uintptr_t)p & (align - 1);
	if (before > 0)
		munmap(p, before);
	munmap(p + before + len, align - before);
	return p + before;
}

void *percpu__os_reserve_aligned(size_t len, size_t align)
{
	char *p = percpu__os_reserve(len);
	uintptr_t before = (uintptr_t)p & (align - 1);

	if (p == NULL || before == 0)
		return p;
	/* Below what is free there is most often more that is free. */
	munmap(p, len);
	p = reserve_at(p - before, len);
	return p != NULL ? p : reserve_and_cut(len, align);
}

int percpu__os_commit(void *p, size_t len)
{
	if (mprotect(p, len, PROT_READ | PROT_WRITE) != 0)
		return -errno;
	/* Fails only where the kernel has no huge pages to keep away from. */
	madvise(p, len, MADV_NOHUGEPAGE);
	return 0;
}

int percpu__os_show(void *p, size_t len)
{
	return mprotect(p, len, PROT_READ) == 0 ? 0 : -errno;
}

void percpu__os_release(void *p, size_t len)
{
	munmap(p, len);
}

int percpu__os_drop(void *p, size_t len)
{
	return madvise(p, len, MADV_DONTNEED) == 0 ? 0 : -errno;
}

void percpu__os_populate(void *p, size_t len)
{
	int saved = errno;

	madvise(p, len, MADV_POPULATE_WRITE);
	errno = saved;
}

int percpu__os_wipe_on_fork(void *p, size_t len)
{
	return madvise(p, len, MADV_WIPEONFORK) == 0 ? 0 : -errno;
}

/* Up to @size bytes. */
static ssize_t read_all(int fd, char *buf, size_t size)
{
	size_t have = 0;

	while (have < size) {
		ssize_t n = percpu__os_raw_read(fd, buf + have, size - have);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : (ssize_t)have;
		have += (size_t)n;
	}
	return (ssize_t)have;
}

int percpu__os_read_file(const char *path, char *buf, size_t size)
{
	int fd = percpu__os_raw_open(path);
	ssize_t n = -1;

	if (fd >= 0) {
		n = read_all(fd, buf, size - 1);
		percpu__os_raw_close(fd);
	} else {
		n = -errno;
	}
	buf[n > 0 ? n : 0] = '\0';
	return (int)n;
}

/* Of linux/fs.h from Linux 6.7 on. */
struct page_region {
	uint64_t start;
	uint64_t end;
	uint64_t categories;
};

struct pm_scan_arg {
	uint64_t size;
	uint64_t flags;
	uint64_t start;
	uint64_t end;
	uint64_t walk_end;
	uint64_t vec;
	uint64_t vec_len;
	uint64_t max_pages;
	uint64_t category_inverted;
	uint64_t category_mask;
	uint64_t category_anyof_mask;
	uint64_t return_mask;
};

#define SCAN _IOWR('f', 16, struct pm_scan_arg)
#define SCAN_HELD (1u << 3 | 1u << 4) /* in memory, in swap */
#define SCAN_ZERO (1u << 5)	      /* in memory, but the one page of zeros */
#define SCAN_REGIONS 64u

/* Set the bits of the pages of @r, the first being page number @first. */
static void set_region(const struct page_region *r, uint64_t first,
		       uint64_t *bits)
{
	uint64_t page = percpu__os_page_size();

	for (uint64_t i = r->start / page - first; i < r->end / page - first;
	     i++)
		bits[i / 64] |= 1ull << i % 64;
}

static int scan_pagemap(int fd, uint64_t first, size_t pages, uint64_t *bits)
{
	struct page_region regions[SCAN_REGIONS] = { { 0 } };
	uint64_t page = percpu__os_page_size();
	struct pm_scan_arg arg = {
		.size = sizeof(arg),
		.start = first * page,
		.end = (first + pages) * page,
		.vec = (uintptr_t)regions,
		.vec_len = SCAN_REGIONS,
		.category_inverted = SCAN_ZERO,
		.category_mask = SCAN_ZERO,
		.category_anyof_mask = SCAN_HELD,
		.return_mask = SCAN_HELD,
	};

	while (arg.start < arg.end) {
		int n = (int)syscall(__NR_ioctl, fd, SCAN, &arg);

		if (n < 0)
			return -errno;
		for (int i = 0; i < n; i++)
			set_region(&regions[i], first, bits);
		arg.start = arg.walk_end;
	}
	return 0;
}

/*
 * Bits of an entry of pagemap: the page is in memory, or in swap. The page of
 * zeros is not told from others.
 */
#define PAGEMAP_HELD (3ull << 62)
#define PAGEMAP_READ 512u

static int read_pagemap(int fd, uint64_t first, size_t pages, uint64_t *bits)
{
	uint64_t entries[PAGEMAP_READ];
	size_t have = 0;

	if (lseek(fd, (off_t)(first * sizeof(*entries)), SEEK_SET) < 0)
		return -errno;
	while (have < pages) {
		size_t want = pages - have;
		ssize_t n;

		if (want > PAGEMAP_READ)
			want = PAGEMAP_READ;
		n = percpu__os_raw_read(fd, entries, want * sizeof(*entries));
		if (n <= 0)
			return n < 0 ? -errno : -EIO;
		for (size_t i = 0; i < (size_t)n / sizeof(*entries);
		     i++, have++)
			if ((entries[i] & PAGEMAP_HELD) != 0)
				bits[have / 64] |= 1ull << have % 64;
	}
	return 0;
}

static int ask_pagemap(int fd, uint64_t first, size_t pages, uint64_t *bits)
{
	static bool cannot_scan;
	int err = -ENOTTY;

	if (!__atomic_load_n(&cannot_scan, __ATOMIC_RELAXED))
		err = scan_pagemap(fd, first, pages, bits);
	if (err < 0) {
		__atomic_store_n(&cannot_scan, true, __ATOMIC_RELAXED);
		err = read_pagemap(fd, first, pages, bits);
	}
	return err;
}

int percpu__os_resident(const void *p, size_t pages, uint64_t *bits)
{
	uint64_t first = (uintptr_t)p / percpu__os_page_size();
	int saved = errno;
	int fd = percpu__os_raw_open("/proc/self/pagemap");
	int err;

	memset(bits, 0, (pages + 63) / 64 * sizeof(*bits));
	if (fd >= 0) {
		err = ask_pagemap(fd, first, pages, bits);
		percpu__os_raw_close(fd);
	} else {
		err = -errno;
	}
	errno = saved;
	return err;
}

void percpu__os_name(const char *name)
{
	int saved = errno;

	prctl(PR_SET_NAME, name);
	errno = saved;
}

int percpu__os_rseq(void *area, uint32_t len, int flags, uint32_t sig)
{
	int saved = errno;
	int ret = syscall(__NR_rseq, area, len, flags, sig) == 0 ? 0 : -errno;

	errno = saved;
	return ret;
}

bool percpu__os_has_cid(void)
{
	/* Bytes of struct rseq that the kernel fills in; mm_cid ends at 28. */
	return getauxval(AT_RSEQ_FEATURE_SIZE) >= 28;
}

int percpu__os_membarrier(int cmd, unsigned flags, int cpu)
{
	int saved = errno;
	long ret = syscall(__NR_membarrier, cmd, flags, cpu);

	if (ret < 0)
		ret = -errno;
	errno = saved;
	return (int)ret;
}

static void wait_for(uint32_t *word, uint32_t value, const struct timespec *t)
{
	int saved = errno;

	syscall(__NR_futex, word, FUTEX_WAIT_PRIVATE, value, t, NULL, 0);
	errno = saved;
}

void percpu__os_doze(void)
{
	const struct timespec t = { .tv_sec = 0, .tv_nsec = 1 };
	uint32_t nobody = 0;

	wait_for(&nobody, 0, &t);
}

void percpu__os_wait(uint32_t *word, uint32_t value, unsigned ms)
{
	const struct timespec t = { .tv_sec = ms / 1000,
				    .tv_nsec = ms % 1000 * 1000000L };

	wait_for(word, value, &t);
}

static void wake(uint32_t *word, int sleepers)
{
	int saved = errno;

	syscall(__NR_futex, word, FUTEX_WAKE_PRIVATE, sleepers, NULL, NULL, 0);
	errno = saved;
}

void percpu__os_wake(uint32_t *word)
{
	wake(word, 1);
}

void percpu__os_wake_all(uint32_t *word)
{
	wake(word, INT_MAX);
}

uint32_t percpu__os_ticks(void)
{
	struct timespec t;

	if (clock_gettime(CLOCK_MONOTONIC_COARSE, &t) < 0)
		return 0;
	return (uint32_t)t.tv_sec * 256 + (uint32_t)(t.tv_nsec / 3906250);
}

uint64_t percpu__os_seconds(void)
{
	struct timespec t = { .tv_sec = 0 };

	clock_gettime(CLOCK_MONOTONIC_COARSE, &t);
	return (uint64_t)t.tv_sec;
}

const char *percpu__os_env(const char *name)
{
	return secure_getenv(name);
}

void percpu__os_complain(const char *text, size_t len)
{
	int saved = errno;

	while (len > 0) {
		ssize_t n = percpu__os_raw_write(STDERR_FILENO, text, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		text += n;
		len -= (size_t)n;
	}
	errno = saved;
}
