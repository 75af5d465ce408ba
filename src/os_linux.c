/* SPDX-License-Identifier: MIT */
/*
 * os_linux.c: the system calls of the library. See os.h for what each promises.
 */
#include "os.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <sched.h>
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

int percpu__os_read_file(const char *path, char *buf, size_t size)
{
	size_t have = 0;
	ssize_t n;
	int err = 0;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	while (have < size - 1) {
		n = read(fd, buf + have, size - 1 - have);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			err = -errno;
		if (n <= 0)
			break;
		have += (size_t)n;
	}
	close(fd);
	buf[have] = '\0';
	return err != 0 ? err : (int)have;
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

	while (have < pages) {
		size_t want = pages - have;
		ssize_t n;

		if (want > PAGEMAP_READ)
			want = PAGEMAP_READ;
		n = pread(fd, entries, want * sizeof(*entries),
			  (off_t)((first + have) * sizeof(*entries)));
		if (n <= 0)
			return n < 0 ? -errno : -EIO;
		for (size_t i = 0; i < (size_t)n / sizeof(*entries);
		     i++, have++)
			if ((entries[i] & PAGEMAP_HELD) != 0)
				bits[have / 64] |= 1ull << have % 64;
	}
	return 0;
}

int percpu__os_resident(const void *p, size_t pages, uint64_t *bits)
{
	static bool cannot_scan;
	uint64_t first = (uintptr_t)p / percpu__os_page_size();
	int saved = errno;
	int err = -ENOTTY;
	int fd = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);

	memset(bits, 0, (pages + 63) / 64 * sizeof(*bits));
	if (fd < 0) {
		err = -errno;
		errno = saved;
		return err;
	}
	if (!__atomic_load_n(&cannot_scan, __ATOMIC_RELAXED))
		err = scan_pagemap(fd, first, pages, bits);
	if (err < 0) {
		__atomic_store_n(&cannot_scan, true, __ATOMIC_RELAXED);
		err = read_pagemap(fd, first, pages, bits);
	}
	close(fd);
	errno = saved;
	return err;
}

int percpu__os_affinity(unsigned long *mask, size_t bytes)
{
	memset(mask, 0, bytes);
	return sched_getaffinity(0, bytes, (cpu_set_t *)mask) == 0 ? 0 : -errno;
}

static bool covers(const unsigned long *mask, const unsigned long *enough,
		   size_t longs)
{
	for (size_t i = 0; i < longs; i++)
		if ((enough[i] & ~mask[i]) != 0)
			return false;
	return true;
}

/* Add what thread @id may use to @mask; it may be gone. */
static void add_affinity(pid_t id, unsigned long *mask, size_t bytes)
{
	unsigned long one[8192 / sizeof(unsigned long)];
	long got;

	if (bytes > sizeof(one))
		bytes = sizeof(one);
	got = syscall(__NR_sched_getaffinity, id, bytes, one);
	for (size_t i = 0; got > 0 && i < (size_t)got / sizeof(*one); i++)
		mask[i] |= one[i];
}

/* What linux_dirent64 begins with. */
struct entry {
	uint64_t inode;
	int64_t offset;
	uint16_t len;
	uint8_t type;
	char name[];
};

/* What this thread may use, or where it does not count, the first. */
static int begin_affinity(unsigned long *mask, size_t bytes, int except)
{
	int err = percpu__os_affinity(mask, bytes);

	if (err < 0 || except == 0 || except != percpu__os_thread())
		return err;
	memset(mask, 0, bytes);
	add_affinity(getpid(), mask, bytes);
	return 0;
}

int percpu__os_affinity_all(unsigned long *mask, const unsigned long *enough,
			    size_t bytes, int except)
{
	size_t longs = bytes / sizeof(*mask);
	char buf[4096] __attribute__((aligned(8)));
	int err = begin_affinity(mask, bytes, except);
	long n;
	int fd;

	if (err < 0 || covers(mask, enough, longs))
		return err;
	fd = open("/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	while (!covers(mask, enough, longs) &&
	       (n = syscall(__NR_getdents64, fd, buf, sizeof(buf))) > 0)
		for (char *p = buf; p < buf + n;
		     p += ((struct entry *)p)->len) {
			int id = atoi(((struct entry *)p)->name);

			/* . and .. are none. */
			if (id != 0 && id != except)
				add_affinity(id, mask, bytes);
		}
	close(fd);
	return 0;
}

int percpu__os_mask_bits(void)
{
	unsigned long mask[8192 / sizeof(unsigned long)];
	long bytes = syscall(__NR_sched_getaffinity, 0, sizeof(mask), mask);

	return bytes < 0 ? -errno : (int)bytes * 8;
}

int percpu__os_cpu(void)
{
	int saved = errno;
	int cpu = sched_getcpu();

	if (cpu < 0)
		cpu = -errno;
	errno = saved;
	return cpu;
}

int percpu__os_thread(void)
{
	return (int)syscall(__NR_gettid);
}

#define CPUS 65536u
#define LONG_BITS (8 * sizeof(unsigned long))

int percpu__os_bind(int id, unsigned cpu)
{
	unsigned long mask[CPUS / LONG_BITS] = { 0 };
	size_t bytes = (cpu / LONG_BITS + 1) * sizeof(*mask);
	int saved = errno;
	int err = -EINVAL;

	if (cpu < CPUS) {
		mask[cpu / LONG_BITS] = 1ul << cpu % LONG_BITS;
		err = syscall(__NR_sched_setaffinity, id, bytes, mask) == 0 ?
			      0 :
			      -errno;
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

void percpu__os_doze(void)
{
	const struct timespec t = { .tv_sec = 0, .tv_nsec = 1 };

	nanosleep(&t, NULL);
}

void percpu__os_wait(uint32_t *word, uint32_t value, unsigned ms)
{
	const struct timespec t = { .tv_sec = ms / 1000,
				    .tv_nsec = ms % 1000 * 1000000L };
	int saved = errno;

	syscall(__NR_futex, word, FUTEX_WAIT_PRIVATE, value, &t, NULL, 0);
	errno = saved;
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
		ssize_t n = write(STDERR_FILENO, text, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		text += n;
		len -= (size_t)n;
	}
	errno = saved;
}
