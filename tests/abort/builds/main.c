/* SPDX-License-Identifier: MIT */
/*
 * main.c: counts through functions of three sources, of which two share
 * inline functions; exits with 0 if the sum is right.
 */
#include "common.h"

#define ROUNDS 1000u

static inline void count_static(uint64_t PERCPU *h)
{
	percpu_add(h, 4);
	percpu_sub(h, 2);
}

void count_c(uint64_t PERCPU *h)
{
	for (int i = 0; i < 5; i++)
		count_static(h);
}

int main(void)
{
	uint64_t PERCPU *h = percpu_new(uint64_t);

	if (h == NULL)
		return 1;
	for (unsigned i = 0; i < ROUNDS; i++) {
		count_one(h);
		count_two(h);
		count_c(h);
	}
	return percpu_sum(h) == 26 * ROUNDS ? 0 : 1;
}
