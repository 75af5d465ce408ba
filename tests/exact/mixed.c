/* SPDX-License-Identifier: MIT */
/*
 * mixed.c: objects compiled as under ThreadSanitizer, which knows only the
 * shared slot, and normally compiled ones add to the same handles, exactly.
 *
 * usage: mixed [SLOTS]   SLOTS: so many units there must be, fewer than CPUs; so
 *                        normally compiled ones use the shared slot also
 */
#include "check.h"
#include "stress.h"

enum { THREADS = 8 };

static void check_few_slots(struct stress *s, unsigned slots)
{
	CHECK_EQ(percpu_nr_slots(), slots);
	stress_widen(s);
	if ((unsigned)CPU_COUNT(&s->cpus) <= slots)
		SKIP("too few CPUs");
	for (unsigned i = 0; i < THREADS; i += 2) {
		s->worker[i].place = STRESS_ANYWHERE;
		s->worker[i].watch = false;
	}
}

int main(int argc, char **argv)
{
	static struct stress s;

	stress_init(&s, THREADS, 40000);
	if (argc > 1)
		check_few_slots(&s, (unsigned)atoi(argv[1]));
	for (unsigned i = 1; i < THREADS; i += 2) {
		s.worker[i].op = stress_op_shared;
		s.worker[i].place = STRESS_ANYWHERE;
	}
	stress_run(&s);
	CHECK(percpu_shared_ptr(s.h)->ops != 0);
	stress_check(&s);
	return TEST_PASS;
}
