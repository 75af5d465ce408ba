/* SPDX-License-Identifier: MIT */
/*
 * B13: nodes are 1 and 3, there is no node 0: each CPU is on the node that has
 * it, and allocation works.
 *
 * Started with CPU 0 on node 1 and CPU 1 on node 3.
 */
#include "count.h"

#include <errno.h>

int main(void)
{
	struct counting thread = { .cpu = -1 };
	uint64_t PERCPU *h = percpu_new(uint64_t);

	CHECK(h != NULL);
	CHECK_EQ(percpu_cpu_to_node(0), 1);
	CHECK_EQ(percpu_cpu_to_node(1), 3);
	CHECK_EQ(percpu_cpu_to_node(2), -EINVAL);
	count(&thread, 1, 10000, h, 10000);
	percpu_free(h);
	return TEST_PASS;
}
