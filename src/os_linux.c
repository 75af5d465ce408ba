/* SPDX-License-Identifier: MIT */
/*
 * os_linux.c: the system calls of the library. See os.h for what each promises.
 */
#include "os.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#ifndef __NR_rseq
#error "kernel headers older than Linux 4.18"
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

int percpu__os_commit(void *p, size_t len)
{
	if (mprotect(p, len, PROT_READ | PROT_WRITE) != 0)
		return -errno;
	/* Fails only where the kernel has no huge pages to keep away from. */
	madvise(p, len, MADV_NOHUGEPAGE);
	return 0;
}

void percpu__os_release(void *p, size_t len)
{
	munmap(p, len);
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

int percpu__os_affinity(unsigned long *mask, size_t bytes)
{
	memset(mask, 0, bytes);
	return sched_getaffinity(0, bytes, (cpu_set_t *)mask) == 0 ? 0 : -errno;
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
