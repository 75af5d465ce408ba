/* SPDX-License-Identifier: MIT */
#ifndef PERCPU_SRC_OS_RAW_H
#define PERCPU_SRC_OS_RAW_H
/*
 * os_raw.h: what libc would cancel a thread in, asked of the kernel without it:
 * the thread may hold a lock, have shut caches, or have memory on its stack
 * that another will write. It ends when its program comes to the next place
 * that may end it.
 */
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* A descriptor, or -1 with errno. */
static inline int percpu__os_raw_open(const char *path)
{
	return (int)syscall(__NR_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
}

static inline ssize_t percpu__os_raw_read(int fd, void *buf, size_t size)
{
	return (ssize_t)syscall(__NR_read, fd, buf, size);
}

static inline ssize_t percpu__os_raw_write(int fd, const void *buf, size_t size)
{
	return (ssize_t)syscall(__NR_write, fd, buf, size);
}

static inline void percpu__os_raw_close(int fd)
{
	syscall(__NR_close, fd);
}

#endif
