/* SPDX-License-Identifier: MIT */
/*
 * A user's program: what the README shows. It exits 0 if the sums are right.
 */
#include <percpu/percpu.h>

#include <stdio.h>

struct stats {
	uint64_t packets, bytes;
};

int main(void)
{
	struct stats PERCPU *s = percpu_new(struct stats);
	int right;

	if (s == NULL) {
		perror("percpu_new");
		return 1;
	}
	percpu_inc(&s->packets);
	percpu_add(&s->bytes, 1500);
	right = percpu_sum(&s->packets) == 1 && percpu_sum(&s->bytes) == 1500;
	percpu_free(s);
	return right ? 0 : 1;
}
