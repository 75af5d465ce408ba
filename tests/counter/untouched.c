/* SPDX-License-Identifier: MIT */
/*
 * untouched.c: once a counter has its per-CPU part, nothing that is done to it
 * writes to the struct that every add reads, carries and resets included: it
 * may lie in memory that cannot be written.
 */
#include "check.h"

#include <percpu/percpu.h>
#include <sys/mman.h>
#include <unistd.h>

int main(void)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	struct percpu_counter *c = mmap(NULL, page, PROT_READ | PROT_WRITE,
					MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	CHECK(c != MAP_FAILED);
	CHECK(percpu_counter_init(c, 7) == 0);
	CHECK(mprotect(c, page, PROT_READ) == 0);
	for (int i = 0; i < 1000; i++) {
		percpu_counter_inc(c);
		percpu_counter_add_batch(c, -3, 4);
		percpu_counter_sub(c, 5000);
	}
	percpu_counter_sync(c);
	CHECK_EQ(percpu_counter_sum(c), 7 - 1000 * 5002);
	CHECK(percpu_counter_limited_add(c, 0, 4));
	CHECK_EQ(percpu_counter_exchange(c, 5), 11 - 1000 * 5002);
	percpu_counter_read(c);
	CHECK_EQ(percpu_counter_compare(c, 5), 0);
	return TEST_PASS;
}
