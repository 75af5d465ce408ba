/* SPDX-License-Identifier: MIT */
/*
 * mixed.c: objects compiled as under ThreadSanitizer, which knows only the
 * shared slot, and normally compiled ones add to the same handles, exactly.
 */
#include "check.h"
#include "stress.h"

enum { THREADS = 8 };

int main(void)
{
	static struct stress s;

	stress_init(&s, THREADS, 40000);
	for (unsigned i = 1; i < THREADS; i += 2) {
		s.worker[i].op = stress_op_shared;
		s.worker[i].place = STRESS_ANYWHERE;
	}
	stress_run(&s);
	CHECK(percpu_shared_ptr(s.h)->ops != 0);
	stress_check(&s);
	return TEST_PASS;
}
