/* SPDX-License-Identifier: MIT */
/*
 * os_events.c: the system calls of who waits for events of the kernel's, and of
 * the program's own. See os.h for what each promises.
 */
#include "os.h"

#include "os_raw.h"

#include <errno.h>
#include <linux/netlink.h>
#include <poll.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

/* Events as the kernel sends them; udev's are the next group. */
#define KERNELS 1u

int percpu__os_events_open(void)
{
	struct sockaddr_nl to = { .nl_family = AF_NETLINK,
				  .nl_groups = KERNELS };
	int err;
	int fd = socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK,
			NETLINK_KOBJECT_UEVENT);

	if (fd < 0)
		return -errno;
	if (bind(fd, (struct sockaddr *)&to, sizeof(to)) == 0)
		return fd;
	err = -errno;
	percpu__os_raw_close(fd);
	return err;
}

int percpu__os_events_take(int fd, char *buf, size_t size)
{
	ssize_t n;

	do
		n = recv(fd, buf, size - 1, 0);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	buf[n] = '\0';
	return (int)n;
}

int percpu__os_events_bell(void)
{
	int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);

	return fd < 0 ? -errno : fd;
}

void percpu__os_events_ring(int bell)
{
	const uint64_t one = 1;

	if (percpu__os_raw_write(bell, &one, sizeof(one)) < 0)
		return; /* it rings already, or somebody has closed it */
}

int percpu__os_events_wait(int fds[2], unsigned ms)
{
	struct pollfd polled[2] = { { .fd = fds[0], .events = POLLIN },
				    { .fd = fds[1], .events = POLLIN } };
	int n = poll(polled, 2, (int)ms);

	if (n < 0)
		return errno == EINTR ? 0 : -errno;
	for (unsigned i = 0; i < 2; i++)
		if ((polled[i].revents & POLLNVAL) != 0)
			fds[i] = -1;
	return polled[1].fd >= 0 && polled[1].revents != 0 ? 1 : 0;
}

void percpu__os_events_close(int fd)
{
	if (fd >= 0)
		percpu__os_raw_close(fd);
}
