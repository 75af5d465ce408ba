/* SPDX-License-Identifier: MIT */
/*
 * harness.c: pinned threads that measure variants in short slices.
 *
 *   round 1   B  A  D  C       one slice of each variant, in a new order
 *   round 2   D  A  C  B       every round
 *   ...
 *                 one slice:   warm-up | all meet | timed | all meet
 *
 * A shared or virtual machine takes CPUs away for milliseconds, and its clocks
 * and caches change within minutes. So a slice is short (50 us to 300 us): most
 * slices see no disturbance at all, and the few that do are known by it and
 * left out (slice.h). Variants take turns slice by slice, in an order that is
 * shuffled each round: what changes slowly hits all of them alike, and none
 * always follows the same one.
 *
 * Measured on two noisy virtual CPUs: medians of 400 slices repeat within 1 to
 * 3 %. Rejected: one long run per variant, whose results spread by 6 to 20 %
 * on the same machine, more than most of what is to be seen.
 *
 * The threads meet by spinning: each has a count of meetings on a line of its
 * own and waits until the other's is no smaller. The first thread leads: before
 * a meeting it writes the order that all read after it. There is no thread that
 * watches them; it would take a CPU from them.
 */
#include "harness.h"

#include "clock.h"
#include "samples.h"
#include "slice.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

/* The part of a slice that is run before it, and not timed. */
#define WARM_UP_PART 4
/* Turns of a waiting loop after which a thread lets others have its CPU. */
#define SPINS 20000

struct lane {
	atomic_uint met;
	struct slice slice;
} HARNESS_APART;

/* What the leader has all threads do next. */
struct order {
	const struct variant *variant; /* NULL: stop */
	uint64_t ops;
} HARNESS_APART;

struct crew {
	struct lane lanes[HARNESS_MAX_THREADS];
	struct order order;
	const struct plan *plan;
	struct samples *samples;
	uint64_t random;
	atomic_int error;
};

struct member {
	struct crew *crew;
	unsigned thread;
};

static long switches(void)
{
	struct rusage use;

	getrusage(RUSAGE_THREAD, &use);
	return use.ru_nivcsw + use.ru_nvcsw;
}

/* Wait until every thread is here. Orders what they did before and after. */
static void meet(struct crew *c, unsigned me)
{
	unsigned mine =
		atomic_load_explicit(&c->lanes[me].met, memory_order_relaxed) +
		1;
	unsigned spins = 0;

	atomic_store_explicit(&c->lanes[me].met, mine, memory_order_release);
	for (unsigned t = 0; t < c->plan->threads; t++)
		while ((int)(atomic_load_explicit(&c->lanes[t].met,
						  memory_order_acquire) -
			     mine) < 0)
			if (++spins % SPINS == 0)
				sched_yield();
}

static void run_slice(struct crew *c, unsigned me)
{
	const struct variant *v = c->order.variant;
	uint64_t ops = c->order.ops;
	uint64_t warm_up = ops / WARM_UP_PART / HARNESS_GRAIN * HARNESS_GRAIN;
	struct slice s;
	long before;

	v->run(v->arg, me, warm_up + HARNESS_GRAIN);
	before = switches();
	meet(c, me);
	s.cpu = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	s.start = clock_ns(CLOCK_MONOTONIC);
	v->run(v->arg, me, ops);
	s.end = clock_ns(CLOCK_MONOTONIC);
	s.cpu = clock_ns(CLOCK_THREAD_CPUTIME_ID) - s.cpu;
	s.switches = switches() - before;
	c->lanes[me].slice = s;
}

static void follow(struct crew *c, unsigned me)
{
	for (;;) {
		meet(c, me);
		if (c->order.variant == NULL)
			return;
		run_slice(c, me);
		meet(c, me);
	}
}

/* Have all threads run a slice; ns per operation, NAN if it was not quiet. */
static double lead_slice(struct crew *c, const struct variant *v, uint64_t ops)
{
	struct slice seen[HARNESS_MAX_THREADS];

	c->order.variant = v;
	c->order.ops = ops;
	meet(c, 0);
	run_slice(c, 0);
	meet(c, 0);
	for (unsigned t = 0; t < c->plan->threads; t++)
		seen[t] = c->lanes[t].slice;
	if (!slice_quiet(seen, c->plan->threads))
		return NAN;
	return slice_ns(seen, c->plan->threads) / (double)ops;
}

/*
 * The ns that @ops take: the least CPU time of any thread in a few slices. In
 * a noisy minute no slice may be quiet; and where threads wait for each other,
 * one that was switched out has less of it than the one that waited.
 */
static double least_time(struct crew *c, const struct variant *v, uint64_t ops)
{
	double least = INFINITY;

	for (unsigned i = 0; i < 3; i++) {
		lead_slice(c, v, ops);
		for (unsigned t = 0; t < c->plan->threads; t++)
			least = fmin(least, (double)c->lanes[t].slice.cpu);
	}
	return least;
}

/* The operations of @v that fill a slice. */
static uint64_t calibrate(struct crew *c, const struct variant *v)
{
	double want = c->plan->slice_ns;
	uint64_t ops = HARNESS_GRAIN;
	double ns = least_time(c, v, ops);

	while (ns < want / 2 && ops < UINT64_MAX / 64) {
		ops *= ns > want / 16 ? 2 : 8;
		ns = least_time(c, v, ops);
	}
	ops = (uint64_t)((double)ops * want / ns);
	return ops / HARNESS_GRAIN * HARNESS_GRAIN + HARNESS_GRAIN;
}

/* One slice of each variant; false once @deadline is over. */
static bool lead_round(struct crew *c, uint64_t deadline)
{
	unsigned order[HARNESS_MAX_VARIANTS];
	struct samples *s = c->samples;

	samples_shuffle(&c->random, order, c->plan->nr_variants);
	s->rounds++;
	for (unsigned i = 0; i < c->plan->nr_variants; i++) {
		unsigned v = order[i];

		if (clock_ns(CLOCK_MONOTONIC) >= deadline)
			return false;
		samples_keep(s, v,
			     lead_slice(c, &c->plan->variants[v], s->ops[v]));
	}
	return true;
}

static void show_progress(const struct crew *c, uint64_t start)
{
	const struct plan *p = c->plan;
	double time =
		(double)(clock_ns(CLOCK_MONOTONIC) - start) / 1e9 / p->seconds;
	double slices =
		(double)samples_fewest(c->samples, c->plan->nr_variants) /
		p->rounds;

	if (p->progress != NULL)
		p->progress(p->progress_arg, fmin(1, fmax(time, slices)));
}

static void lead(struct crew *c)
{
	uint64_t start = clock_ns(CLOCK_MONOTONIC);
	uint64_t deadline = start + (uint64_t)(c->plan->seconds * 1e9);

	for (unsigned v = 0; v < c->plan->nr_variants; v++)
		c->samples->ops[v] = calibrate(c, &c->plan->variants[v]);
	while (samples_fewest(c->samples, c->plan->nr_variants) <
		       c->plan->rounds &&
	       c->samples->rounds < c->samples->capacity) {
		show_progress(c, start);
		if (!lead_round(c, deadline))
			break;
	}
	c->order.variant = NULL;
	meet(c, 0);
}

static int pin(int cpu)
{
	size_t bits = (size_t)cpu + 1;
	size_t size = CPU_ALLOC_SIZE(bits);
	cpu_set_t *set = CPU_ALLOC(bits);
	int err;

	if (set == NULL)
		return ENOMEM;
	CPU_ZERO_S(size, set);
	CPU_SET_S((size_t)cpu, size, set);
	err = pthread_setaffinity_np(pthread_self(), size, set);
	CPU_FREE(set);
	return err;
}

static void *work(void *arg)
{
	const struct member *m = arg;
	int err = pin(m->crew->plan->cpus[m->thread]);

	if (err != 0)
		atomic_store(&m->crew->error, err);
	meet(m->crew, m->thread);
	if (atomic_load(&m->crew->error) != 0)
		return NULL;
	if (m->thread == 0)
		lead(m->crew);
	else
		follow(m->crew, m->thread);
	return NULL;
}

/* A thread that could not be made is stood in for, so that nobody waits. */
static void stand_in(struct crew *c, unsigned thread, int err)
{
	atomic_store(&c->error, err);
	atomic_store(&c->lanes[thread].met, 1);
}

/* As the calling thread, which then goes back to where it was. */
static int run_alone(struct crew *c)
{
	struct member member = { .crew = c, .thread = 0 };
	cpu_set_t before;

	if (sched_getaffinity(0, sizeof(before), &before) != 0)
		return -errno;
	work(&member);
	sched_setaffinity(0, sizeof(before), &before);
	return -atomic_load(&c->error);
}

static int run_crew(struct crew *c)
{
	pthread_t threads[HARNESS_MAX_THREADS];
	struct member members[HARNESS_MAX_THREADS];
	unsigned made = 0;
	int err = 0;

	for (; made < c->plan->threads && err == 0; made += err == 0) {
		members[made].crew = c;
		members[made].thread = made;
		err = pthread_create(&threads[made], NULL, work,
				     &members[made]);
	}
	for (unsigned t = made; t < c->plan->threads; t++)
		stand_in(c, t, err);
	for (unsigned t = 0; t < made; t++)
		pthread_join(threads[t], NULL);
	return -atomic_load(&c->error);
}

int harness_run(const struct plan *plan, struct samples *s)
{
	struct crew *c = aligned_alloc(_Alignof(struct crew), sizeof(*c));
	int ret = samples_make(s, plan);

	if (c == NULL || ret < 0) {
		free(c);
		return -ENOMEM;
	}
	memset(c, 0, sizeof(*c));
	c->plan = plan;
	c->samples = s;
	c->random = SAMPLES_SEED;
	ret = plan->alone ? run_alone(c) : run_crew(c);
	free(c);
	return ret;
}
