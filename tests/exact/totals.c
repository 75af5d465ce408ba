/* SPDX-License-Identifier: MIT */
/*
 * totals.c: sums are exactly what was added, in every mode.
 *
 * usage: totals MODE [-t THREADS] [-n BURSTS] [-w] [-c]
 *   MODE  rseq, atomic or shared: what percpu_backend() must say, and where
 *         the adds must land; mixed: any, as CPU ids decide
 *   -w    move threads also to CPUs that this program was started without
 *   -c    slots must be numbered by concurrency id
 */
#include "check.h"
#include "stress.h"

#include <string.h>
#include <unistd.h>

static enum stress_place place_named(const char *word)
{
	static const char *const words[] = { "rseq", "atomic", "shared",
					     "mixed" };

	for (unsigned i = 0; i < 4; i++)
		if (strcmp(word, words[i]) == 0)
			return (enum stress_place)i;
	FAIL("%s is no mode", word);
}

static void check_mode(enum stress_place place)
{
	const char *why;
	enum percpu_mode mode = percpu_backend(&why);

	printf("mode %d: %s\n", (int)mode, why);
	if (place != STRESS_ANYWHERE)
		CHECK_EQ(mode, place);
}

#if defined(__GLIBC__) && defined(__x86_64__)
#include <sys/rseq.h>

/* One thread alone has concurrency id 0, wherever it is. */
static void check_cid(const struct stress *s)
{
	volatile uint32_t *cid =
		(uint32_t *)(void *)((char *)__builtin_thread_pointer() +
				     __rseq_offset + 24);
	cpu_set_t last;
	unsigned cpu = CPU_SETSIZE - 1;
	uint32_t before;
	unsigned slot;

	while (!CPU_ISSET(cpu, &s->cpus))
		cpu--;
	if (cpu == 0)
		SKIP("CPU 0 alone does not tell ids apart");
	CPU_ZERO(&last);
	CPU_SET(cpu, &last);
	CHECK(sched_setaffinity(0, sizeof(last), &last) == 0);
	do {
		before = *cid;
		slot = percpu_this_slot();
	} while (*cid != before);
	CHECK_EQ(slot, before);
	CHECK(slot != cpu);
	CHECK(sched_setaffinity(0, sizeof(s->cpus), &s->cpus) == 0);
}
#else
static void check_cid(const struct stress *s)
{
	(void)s;
	SKIP("no concurrency ids here");
}
#endif

int main(int argc, char **argv)
{
	static struct stress s;
	unsigned threads = 8;
	unsigned bursts = 40000;
	bool widen = false;
	bool cid = false;
	enum stress_place place;
	int opt;

	while ((opt = getopt(argc, argv, "t:n:wc")) != -1) {
		switch (opt) {
		case 't': threads = (unsigned)atoi(optarg); break;
		case 'n': bursts = (unsigned)atoi(optarg); break;
		case 'w': widen = true; break;
		case 'c': cid = true; break;
		default: return TEST_FAIL;
		}
	}
	CHECK(optind == argc - 1);
	place = place_named(argv[optind]);
	check_mode(place);
	stress_init(&s, threads, bursts);
	for (unsigned i = 0; i < threads; i++) {
		s.worker[i].place = place;
		s.worker[i].watch = place == STRESS_RSEQ && !cid;
	}
	if (widen)
		stress_widen(&s);
	if (cid)
		check_cid(&s);
	stress_run(&s);
	stress_check(&s);
	return TEST_PASS;
}
