/* SPDX-License-Identifier: MIT */
#include "common.h"

void count_two(uint64_t PERCPU *h)
{
	counter c(h);

	count_inline(h);
	count_template(h);
	count_template((uint32_t PERCPU *)h);
	percpu_inc(h);
}

/* The linker may drop these, with their descriptors or not. */
extern "C" void unused_two(uint64_t PERCPU *h)
{
	percpu_add(h, 100);
}

template void count_template<uint8_t>(uint8_t PERCPU *h);
