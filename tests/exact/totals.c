/* SPDX-License-Identifier: MIT */
/*
 * totals.c: sums are exactly what was added, in every mode.
 *
 * usage: totals [-t THREADS] [-n BURSTS] [-s SLOTS] [-c] MODE
 *   MODE  rseq, atomic or shared: what percpu_backend() must say, and where
 *         the adds must land; mixed: any
 *   -s    so many units there must be
 *   -c    slots must be numbered by concurrency id
 */
#include "check.h"
#include "stress.h"

#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
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

/* Skip where the kernel itself, not this library, has no sequences. */
static void need_rseq(void)
{
	if (syscall(__NR_rseq, NULL, 0, 0, 0) != 0 && errno != EINVAL)
		SKIP("the kernel refuses restartable sequences");
}

static void check_mode(enum stress_place place)
{
	const char *why;
	enum percpu_mode mode = percpu_backend(&why);

	printf("mode %d: %s\n", (int)mode, why);
	if (place != STRESS_ANYWHERE)
		CHECK_EQ(mode, place);
}

#if defined(__GLIBC__) && (defined(__x86_64__) || defined(__aarch64__))
#include <sys/auxv.h>
#include <sys/rseq.h>

#ifndef AT_RSEQ_FEATURE_SIZE
#define AT_RSEQ_FEATURE_SIZE 27
#endif

/* One thread alone has a low concurrency id, wherever it is. */
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
	if (getauxval(AT_RSEQ_FEATURE_SIZE) < 28)
		SKIP("the kernel has no concurrency ids");
	CPU_ZERO(&last);
	CPU_SET(cpu, &last);
	CHECK(sched_setaffinity(0, sizeof(last), &last) == 0);
	do {
		before = *cid;
		slot = percpu_this_slot();
	} while (*cid != before);
	CHECK_EQ(slot, before);
	if (before == cpu)
		SKIP("this kernel's ids are as its CPUs");
	CHECK(sched_setaffinity(0, sizeof(s->cpus), &s->cpus) == 0);
}
#else
static void check_cid(const struct stress *s)
{
	(void)s;
	SKIP("no concurrency ids here");
}
#endif

struct options {
	enum stress_place place;
	unsigned threads;
	unsigned bursts;
	unsigned slots;
	bool cid;
};

static struct options parse(int argc, char **argv)
{
	struct options o = { .threads = 8, .bursts = 40000 };
	int opt;

	while ((opt = getopt(argc, argv, "t:n:s:c")) != -1) {
		switch (opt) {
		case 't': o.threads = (unsigned)atoi(optarg); break;
		case 'n': o.bursts = (unsigned)atoi(optarg); break;
		case 's': o.slots = (unsigned)atoi(optarg); break;
		case 'c': o.cid = true; break;
		default: exit(TEST_FAIL);
		}
	}
	CHECK(optind == argc - 1);
	o.place = place_named(argv[optind]);
	return o;
}

static void prepare(struct stress *s, const struct options *o)
{
	stress_init(s, o->threads, o->bursts);
	for (unsigned i = 0; i < o->threads; i++) {
		s->worker[i].place = o->place;
		if (o->place != STRESS_RSEQ)
			s->worker[i].watch = false;
	}
	if (o->cid)
		check_cid(s);
}

int main(int argc, char **argv)
{
	static struct stress s;
	struct options o = parse(argc, argv);

	if (o.place == STRESS_RSEQ)
		need_rseq();
	check_mode(o.place);
	if (o.slots != 0)
		CHECK_EQ(percpu_nr_slots(), o.slots);
	prepare(&s, &o);
	stress_run(&s);
	stress_check(&s);
	return TEST_PASS;
}
