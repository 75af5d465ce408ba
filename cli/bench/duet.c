/* SPDX-License-Identifier: MIT */
/*
 * duet.c: slices of a thread that asks and a partner that answers.
 *
 *   this thread, CPU a    begin | warm-up | timed ... | end
 *   the partner, CPU b          serves ...............  sleeps
 *
 * As in harness.c slices are short and variants take turns, in a new order each
 * round. But the partner may be a thread that is not ours: a worker of the
 * library. So the two do not meet; whether it was disturbed is asked of the
 * kernel, which counts how often it was put on a CPU. Before another variant's
 * turn the partner must sleep, and that is asked of the kernel too: a worker
 * that still spins would take the CPU from the next.
 *
 * Where the partner sleeps before each operation, they are timed one by one,
 * and a slice counts unless the asking thread lost its CPU to others.
 */
#include "duet.h"

#include "clock.h"
#include "samples.h"

#include <errno.h>
#include <math.h>
#include <sched.h>
#include <sys/resource.h>

#define WARM_UP_PART 4
/* Operations in a slice, where each is timed. */
#define SINGLE_OPS 4u
/* Between the word that the partner sleeps and the operation. */
#define SETTLE_NS 20000u

struct state {
	const struct plan *plan;
	struct samples *samples;
	uint64_t random;
};

static long lost_cpu(bool any)
{
	struct rusage use;

	getrusage(RUSAGE_THREAD, &use);
	return use.ru_nivcsw + (any ? use.ru_nvcsw : 0);
}

/* Operations one after another; ns of all, NAN if disturbed. */
static double together(const struct variant *v, uint64_t ops)
{
	const struct duet *d = v->arg;
	uint64_t start, cpu, ns;
	long theirs, mine;

	v->run(v->arg, 0, ops / WARM_UP_PART + HARNESS_GRAIN);
	theirs = d->switches ? 0 : partner_switches(d->partner);
	mine = lost_cpu(!d->switches);
	cpu = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	start = clock_ns(CLOCK_MONOTONIC);
	v->run(v->arg, 0, ops);
	ns = clock_ns(CLOCK_MONOTONIC) - start;
	cpu = clock_ns(CLOCK_THREAD_CPUTIME_ID) - cpu;
	if (lost_cpu(!d->switches) != mine ||
	    (!d->switches && (partner_switches(d->partner) != theirs ||
			      (double)cpu < 0.95 * (double)ns)))
		return NAN;
	return (double)ns;
}

/* It says that it sleeps when it is about to: let it get off its CPU. */
static void settle(void)
{
	uint64_t until = clock_ns(CLOCK_MONOTONIC) + SETTLE_NS;

	while (clock_ns(CLOCK_MONOTONIC) < until)
		;
}

/* Each operation by itself, when the partner sleeps. */
static double singly(const struct variant *v, uint64_t ops)
{
	const struct duet *d = v->arg;
	long mine = lost_cpu(false);
	uint64_t sum = 0;

	for (uint64_t i = 0; i < ops; i++) {
		uint64_t start;

		if (!partner_sleeps(d->partner))
			return NAN;
		settle();
		start = clock_ns(CLOCK_MONOTONIC);
		v->run(v->arg, 0, 1);
		sum += clock_ns(CLOCK_MONOTONIC) - start;
	}
	return lost_cpu(false) == mine ? (double)sum : NAN;
}

static double slice(const struct variant *v, uint64_t ops)
{
	const struct duet *d = v->arg;
	double ns;

	partner_begin(d->partner);
	ns = d->asleep ? singly(v, ops) : together(v, ops);
	partner_end(d->partner);
	return ns / (double)ops;
}

/* The operations of @v that fill a slice. */
static uint64_t calibrate(const struct plan *p, const struct variant *v)
{
	const struct duet *d = v->arg;
	uint64_t ops = HARNESS_GRAIN;
	double ns = INFINITY;

	if (d->asleep)
		return SINGLE_OPS;
	/* Other work may disturb some slices, and all in a bad minute. */
	for (unsigned i = 0; i < 20; i++) {
		double got = slice(v, ops * 16);

		if (!isnan(got))
			ns = fmin(ns, got);
		if (i >= 3 && !isinf(ns))
			break;
	}
	if (isinf(ns))
		return 64 * HARNESS_GRAIN;
	ops = (uint64_t)(p->slice_ns / ns);
	return ops / HARNESS_GRAIN * HARNESS_GRAIN + HARNESS_GRAIN;
}

static bool run_round(struct state *s, uint64_t deadline)
{
	unsigned order[HARNESS_MAX_VARIANTS];

	samples_shuffle(&s->random, order, s->plan->nr_variants);
	s->samples->rounds++;
	for (unsigned i = 0; i < s->plan->nr_variants; i++) {
		unsigned v = order[i];

		if (clock_ns(CLOCK_MONOTONIC) >= deadline)
			return false;
		samples_keep(s->samples, v,
			     slice(&s->plan->variants[v], s->samples->ops[v]));
	}
	return true;
}

static void show_progress(const struct plan *p, const struct samples *s,
			  double part)
{
	double slices = (double)samples_fewest(s, p->nr_variants) / p->rounds;

	if (p->progress != NULL)
		p->progress(p->progress_arg, fmin(1, fmax(part, slices)));
}

static void run_all(struct state *s)
{
	const struct plan *p = s->plan;
	uint64_t start = clock_ns(CLOCK_MONOTONIC);
	uint64_t deadline = start + (uint64_t)(p->seconds * 1e9);

	for (unsigned v = 0; v < p->nr_variants; v++)
		s->samples->ops[v] = calibrate(p, &p->variants[v]);
	while (samples_fewest(s->samples, p->nr_variants) < p->rounds &&
	       s->samples->rounds < s->samples->capacity) {
		show_progress(p, s->samples,
			      (double)(clock_ns(CLOCK_MONOTONIC) - start) /
				      1e9 / p->seconds);
		if (!run_round(s, deadline))
			break;
	}
}

static int duet_run(const struct plan *plan, struct samples *samples)
{
	struct state s = { plan, samples, SAMPLES_SEED };
	cpu_set_t before;
	cpu_set_t one;
	int ret = samples_make(samples, plan);

	CPU_ZERO(&one);
	CPU_SET((size_t)plan->cpus[0], &one);
	if (ret < 0 || (ret = -sched_getaffinity(0, sizeof(before), &before)))
		return ret;
	if (sched_setaffinity(0, sizeof(one), &one) != 0)
		return -errno;
	run_all(&s);
	sched_setaffinity(0, sizeof(before), &before);
	return 0;
}

void duet_compare(const struct bench *b, const struct comparison *c)
{
	compare_by(b, c, duet_run);
}
