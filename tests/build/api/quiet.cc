// SPDX-License-Identifier: MIT
// Programs that have old casts and shadowed names warned of may use every macro.
#include "check.h"

#include <percpu/percpu.h>

PERCPU_DEFINE(uint64_t, plain) = 1;
static PERCPU_DEFINE_CACHELINE(uint32_t, own);
PERCPU_DECLARE(uint64_t, plain);

static struct percpu_counter counter = PERCPU_COUNTER_INITIALIZER(3);

int main()
{
	uint64_t PERCPU *h = percpu_new(uint64_t);
	uint64_t PERCPU *line = percpu_new_cacheline(uint64_t);
	uint64_t *slot;
	uint64_t sum = 0;

	CHECK(h != nullptr && line != nullptr);
	percpu_inc(h);
	percpu_add_all(h, 2, percpu_var(plain), 3, percpu_var(own), 4);
	percpu_for_each_slot (slot, h) {
		sum += *slot;
	}
	CHECK(sum == 3);
	CHECK(percpu_sum(h) == 3);
	CHECK(percpu_this_ptr(h) != nullptr);
	CHECK(percpu_ptr(h, 0) != percpu_shared_ptr(h));
	CHECK(percpu_counter_sum(&counter) == 3);
	percpu_free(h);
	percpu_free(line);
	return TEST_PASS;
}
