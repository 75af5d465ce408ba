/* SPDX-License-Identifier: MIT */
/*
 * untouched.c: once a tree has its per-CPU part, adds, with their carries, and
 * reads do not write to the struct that all of them read: it may lie in memory
 * that cannot be written.
 */
#include "check.h"

#include <percpu/percpu.h>
#include <sys/mman.h>
#include <unistd.h>

int main(void)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	struct percpu_counter_tree *t =
		mmap(NULL, page, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	CHECK(t != MAP_FAILED);
	CHECK(percpu_counter_tree_init(t, 7, 4) == 0);
	CHECK(mprotect(t, page, PROT_READ) == 0);
	for (int i = 0; i < 1000; i++) {
		percpu_counter_tree_inc(t);
		percpu_counter_tree_add_batch(t, -3, 4);
		percpu_counter_tree_sub(t, 5000);
	}
	percpu_counter_tree_sync(t);
	CHECK(!percpu_counter_tree_limited_add(t, -10000000, 1));
	CHECK_EQ(percpu_counter_tree_sum(t), 7 - 1000 * 5002);
	CHECK(percpu_counter_tree_read(t) < 0);
	CHECK(percpu_counter_tree_compare(t, 7 - 1000 * 5002) == 0);
	return TEST_PASS;
}
