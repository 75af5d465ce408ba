/* SPDX-License-Identifier: MIT */
#ifndef TESTS_VM_ONLINE_H
#define TESTS_VM_ONLINE_H
/*
 * online.h: CPUs of a machine taken off line and put back.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

/* 0, or what the kernel says: -ENOENT of the CPU that always stays. */
static inline int online_put(unsigned cpu, bool online)
{
	char path[80];
	int err = 0;
	int fd;

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%u/online",
		 cpu);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (write(fd, online ? "1" : "0", 1) != 1)
		err = -errno;
	close(fd);
	return err;
}

#endif
