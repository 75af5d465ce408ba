/* SPDX-License-Identifier: MIT */
/*
 * os_linux_cpus.c: the system calls about threads and the CPUs they may use.
 */
#include "os.h"

#include "os_raw.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

int percpu__os_affinity_of(int id, unsigned long *mask, size_t bytes)
{
	int saved = errno;
	int err = 0;

	memset(mask, 0, bytes);
	if (syscall(__NR_sched_getaffinity, id, bytes, mask) < 0)
		err = -errno;
	errno = saved;
	return err;
}

/* By libc's, which programs that test others put theirs before. */
int percpu__os_affinity(unsigned long *mask, size_t bytes)
{
	memset(mask, 0, bytes);
	return sched_getaffinity(0, bytes, (cpu_set_t *)mask) == 0 ? 0 : -errno;
}

/* What linux_dirent64 begins with. */
struct entry {
	uint64_t inode;
	int64_t offset;
	uint16_t len;
	uint8_t type;
	char name[];
};

/* Whether /proc numbers processes as system calls do here. */
static bool is_own_proc(void)
{
	char link[16] = "";

	return readlink("/proc/self", link, sizeof(link) - 1) > 0 &&
	       atoi(link) == getpid();
}

/* The first thread stays, with its affinity, when it has ended. */
static bool first_has_ended(void)
{
	char text[128];
	const char *name_end;

	if (percpu__os_read_file("/proc/self/stat", text, sizeof(text)) < 0)
		return false;
	name_end = strrchr(text, ')');
	return name_end != NULL && name_end[1] == ' ' && name_end[2] == 'Z';
}

static int list_threads(int fd, bool (*more)(int id, void *arg), void *arg)
{
	char buf[4096] __attribute__((aligned(8)));
	long n;

	while ((n = syscall(__NR_getdents64, fd, buf, sizeof(buf))) > 0)
		for (char *p = buf; p < buf + n;
		     p += ((struct entry *)p)->len) {
			int id = atoi(((struct entry *)p)->name);

			if (id == 0 || (id == getpid() && first_has_ended()))
				continue;
			if (!more(id, arg))
				return 0;
		}
	return n < 0 ? -errno : 0;
}

int percpu__os_threads(bool (*more)(int id, void *arg), void *arg)
{
	int saved = errno;
	int err = -ENOENT;
	int fd = percpu__os_raw_open("/proc/self/task");

	if (fd < 0)
		err = -errno;
	else if (is_own_proc())
		err = list_threads(fd, more, arg);
	if (fd >= 0)
		percpu__os_raw_close(fd);
	errno = saved;
	return err;
}

int percpu__os_mask_bits(void)
{
	/* Twice what any kernel's masks take. */
	unsigned long mask[2048 / sizeof(unsigned long)];
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

void percpu__os_keep(const unsigned long *mask, size_t bytes)
{
	int saved = errno;

	syscall(__NR_sched_setaffinity, 0, bytes, mask);
	errno = saved;
}

int percpu__os_thread(void)
{
	return (int)syscall(__NR_gettid);
}

int percpu__os_process(void)
{
	return getpid();
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
