/* SPDX-License-Identifier: MIT */
/*
 * Objects of 1 byte to percpu_max_size(): each reads zero in every slot, holds
 * what is written to all of its bytes, and touches no neighbour; the handle's
 * whole length lies in the guard.
 */
#include "slots.h"

#include <unistd.h>

/* Without an access: the kernel is asked to read a byte of it. */
static bool accessible(const void *p)
{
	int fd[2];
	bool ok;

	CHECK(pipe(fd) == 0);
	ok = write(fd[1], p, 1) == 1;
	close(fd[0]);
	close(fd[1]);
	return ok;
}

static void check_size(size_t size, size_t align)
{
	char PERCPU *before = must_alloc(1, 1);
	char PERCPU *h = must_alloc(size, align);
	char PERCPU *after = must_alloc(1, 1);

	CHECK(is_filled(h, size, 0));
	fill(before, 1, 0x5a);
	fill(after, 1, 0x5a);
	CHECK(is_filled(h, size, 0));
	fill(h, size, 0xff);
	CHECK(is_filled(before, 1, 0x5a) && is_filled(after, 1, 0x5a));
	CHECK(is_filled(h, size, 0xff));
	CHECK(!accessible(h) && !accessible(h + size - 1));
	/* In changing order, so that what is free has many shapes. */
	percpu_free(size % 2 ? before : after);
	percpu_free(h);
	percpu_free(size % 2 ? after : before);
}

int main(void)
{
	size_t max = percpu_max_size();
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	for (size_t size = 1; size <= 600; size++)
		check_size(size, 1);
	for (size_t size = 601; size < max; size += 1 + size / 8)
		check_size(size, (size_t)1 << size % 8);
	check_size(max - 1, 1);
	check_size(max, 1);
	check_size(max, page);
	return TEST_PASS;
}
