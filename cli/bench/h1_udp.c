/* SPDX-License-Identifier: MIT */
/*
 * h1_udp.c: the counters beside real work: a UDP packet sent over the loopback
 * device and received, by each thread on sockets of its own. A system call is
 * some hundred times a counter's cost, so that little can be seen here; a
 * counter's share in a real program is like that.
 */
#include "h1.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

static struct {
	int from, to;
	char packet[2048];
} HARNESS_APART ends[H1_CPUS];

static atomic_bool lost;

H1_INLINE void udp(struct h1_device *d, unsigned thread, uint64_t packets,
		   void (*count)(struct h1_device *, unsigned, unsigned))
{
	char *packet = ends[thread].packet;
	unsigned length = d->length;

	for (uint64_t i = 0; i < packets; i++) {
		if (send(ends[thread].from, packet, length, 0) < 0)
			atomic_store(&lost, true);
		count(d, thread, length);
		if (recv(ends[thread].to, packet, length, 0) < 0)
			atomic_store(&lost, true);
	}
	h1_sent(d, thread, packets);
}

H1_KERNELS(udp);

static const char *lossy(void)
{
	return atomic_load(&lost) ? "packets were lost on the loopback device" :
				    NULL;
}

static int udp_socket(void)
{
	return socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
}

/* Two sockets, of which one sends to the other. Returns 0 or -errno. */
static int open_ends(unsigned thread)
{
	struct sockaddr_in to = { .sin_family = AF_INET };
	struct timeval patience = { 1, 0 };
	socklen_t size = sizeof(to);
	int a = udp_socket(), b = udp_socket();

	ends[thread].from = a;
	ends[thread].to = b;
	to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (a < 0 || b < 0 || bind(b, (struct sockaddr *)&to, size) != 0 ||
	    getsockname(b, (struct sockaddr *)&to, &size) != 0 ||
	    connect(a, (struct sockaddr *)&to, size) != 0 ||
	    setsockopt(b, SOL_SOCKET, SO_RCVTIMEO, &patience,
		       sizeof(patience)) != 0)
		return -errno;
	return 0;
}

static void close_ends(unsigned thread)
{
	if (ends[thread].from >= 0)
		close(ends[thread].from);
	if (ends[thread].to >= 0)
		close(ends[thread].to);
}

static void skip(const struct bench *b, const char *key, const char *title,
		 int err)
{
	struct comparison c = { .key = key, .title = title, .threads = 2 };
	char why[128];

	snprintf(why, sizeof(why), "no UDP socket on 127.0.0.1: %s",
		 strerror(-err));
	compare_skip(b, &c, why);
}

static void one_size(const struct bench *b, const char *key, const char *title,
		     unsigned length, int err)
{
	if (err < 0)
		skip(b, key, title, err);
	else
		h1_compare(b, key, title, length, udp_kernels, 0, 3e5, lossy);
}

void h1_udp(const struct bench *b)
{
	int err = 0;

	for (unsigned t = 0; t < H1_CPUS; t++) {
		int ret = open_ends(t);

		err = ret < 0 ? ret : err;
	}
	one_size(b, "udp_64", "64-byte packets, real UDP on loopback", 64, err);
	one_size(b, "udp_1400", "1400-byte packets, real UDP on loopback", 1400,
		 err);
	for (unsigned t = 0; t < H1_CPUS; t++)
		close_ends(t);
}
