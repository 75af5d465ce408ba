/* SPDX-License-Identifier: MIT */
/*
 * Functions sent to CPUs as block layers and drivers do: requests are completed
 * on the CPU that they came from by a descriptor that they contain, a timer
 * sends itself again, caches are shot down where they are in use. Each function
 * runs once and on its CPU, to wait is to have waited, and CPUs that are not
 * there are refused.
 */
#include "port.h"

#include <limits.h>

enum { DEPTH = 8, REQUESTS = 1500, TICKS = 500, ROUNDS = 40 };

struct request {
	u64 sector;
	call_single_data_t csd;
	int cpu;
	unsigned completed;
};

static cpumask_t callable;
static u64 started, completed;
static DEFINE_PER_CPU(u64, requests_done);

static int cpu_after(int cpu)
{
	unsigned next = cpumask_next(cpu, &callable);

	return (int)(next < nr_cpu_ids ? next : cpumask_first(&callable));
}

static void nothing(void *info)
{
	(void)info;
}

static void complete_request(void *info)
{
	struct request *rq = info;

	CHECK_EQ(percpu_this_cpu(), rq->cpu);
	this_cpu_inc(requests_done);
	__atomic_fetch_add(&rq->completed, 1, __ATOMIC_RELAXED);
}

/* The CPU is set once: the function may run while the next is submitted. */
static int submit(struct request *rq)
{
	int err = smp_call_function_single_async(rq->cpu, &rq->csd);

	CHECK(err == 0 || err == -EBUSY);
	return err;
}

static void queue_requests(struct thread *t)
{
	struct request *rqs = kzalloc(DEPTH * sizeof(*rqs), GFP_KERNEL);
	u64 sent = 0, ended = 0;

	CHECK(rqs != NULL);
	for (unsigned i = 0, cpu = t->me; i < DEPTH; i++) {
		rqs[i].cpu = cpu_after((int)cpu);
		cpu = (unsigned)rqs[i].cpu;
		INIT_CSD(&rqs[i].csd, complete_request, &rqs[i]);
	}
	for (unsigned i = 0; i < REQUESTS; i++) {
		sent += submit(&rqs[next_random(t) % DEPTH]) == 0;
	}
	for (unsigned i = 0; i < DEPTH; i++)
		CHECK(smp_call_function_single(rqs[i].cpu, nothing, NULL, 1) ==
		      0);
	for (unsigned i = 0; i < DEPTH; i++)
		ended += rqs[i].completed;
	CHECK_EQ(ended, sent);
	__atomic_fetch_add(&started, sent, __ATOMIC_RELAXED);
	kfree(rqs);
}

/* A plain number: that the caller sees it is what waiting means. */
struct work {
	int cpu;
	unsigned value;
};

static void work_slowly(void *info)
{
	struct work *w = info;

	CHECK_EQ(percpu_this_cpu(), w->cpu);
	for (unsigned i = 0; i < 3; i++)
		sched_yield();
	w->value++;
}

static void work_aside(void *info)
{
	__atomic_fetch_add((unsigned *)info, 1, __ATOMIC_RELAXED);
}

static void call_and_wait(struct thread *t)
{
	struct work w = { .cpu = (int)t->me };
	unsigned aside = 0;

	for (unsigned i = 0; i < ROUNDS; i++) {
		w.cpu = cpu_after(w.cpu);
		CHECK(smp_call_function_single(w.cpu, work_aside, &aside, 0) ==
		      0);
		CHECK(smp_call_function_single(w.cpu, work_slowly, &w, 1) == 0);
		CHECK_EQ(w.value, i + 1);
		CHECK_EQ(READ_ONCE(aside), i + 1);
	}
	CHECK(smp_call_function_any(&callable, work_aside, &aside, 1) == 0);
	CHECK_EQ(aside, ROUNDS + 1);
}

struct timer {
	call_single_data_t csd;
	int cpu;
	unsigned left;
	bool stopped;
};

/* The descriptor is free when the function starts. */
static void tick(void *info)
{
	struct timer *tm = info;

	CHECK_EQ(percpu_this_cpu(), tm->cpu);
	if (--tm->left == 0) {
		__atomic_store_n(&tm->stopped, true, __ATOMIC_RELEASE);
		return;
	}
	tm->cpu = cpu_after(tm->cpu);
	CHECK(smp_call_function_single_async(tm->cpu, &tm->csd) == 0);
}

static void check_timer(void)
{
	struct timer tm = { .csd = CSD_INIT(tick, &tm), .left = TICKS };

	tm.cpu = cpu_after(-1);
	CHECK(smp_call_function_single_async(tm.cpu, &tm.csd) == 0);
	while (!__atomic_load_n(&tm.stopped, __ATOMIC_ACQUIRE))
		sched_yield();
	CHECK_EQ(tm.left, 0);
}

/* Who was called: once each, by one caller; so the runs are plain. */
struct visit {
	unsigned *runs;
	const struct cpumask *dirty;
};

static void shoot_down(void *info)
{
	((struct visit *)info)->runs[percpu_this_cpu()]++;
}

static bool in_use(int cpu, void *info)
{
	return cpumask_test_cpu((unsigned)cpu, ((struct visit *)info)->dirty);
}

/* How many of @mask were called, no CPU twice and no other. */
static unsigned visited(struct visit *v, const struct cpumask *mask)
{
	unsigned n = 0;

	for (unsigned cpu = 0; cpu < nr_cpu_ids; cpu++) {
		CHECK(v->runs[cpu] <= cpumask_test_cpu(cpu, mask));
		n += v->runs[cpu];
		v->runs[cpu] = 0;
	}
	return n;
}

static void call_many(struct thread *t)
{
	unsigned n = cpumask_weight(&callable);
	struct cpumask some = { { 0 } };
	struct visit v = { .dirty = &some };

	v.runs = kzalloc(nr_cpu_ids * sizeof(*v.runs), GFP_KERNEL);
	CHECK(v.runs != NULL);
	for (int i = 0; i < ROUNDS; i++) {
		cpumask_clear(&some);
		cpumask_set_cpu((unsigned)cpu_after(i + (int)t->me), &some);
		on_each_cpu(shoot_down, &v, 1);
		CHECK_EQ(visited(&v, &callable), n);
		smp_call_function(shoot_down, &v, 1);
		CHECK_EQ(visited(&v, &callable), n - 1);
		smp_call_function_many(&callable, shoot_down, &v, true);
		CHECK_EQ(visited(&v, &callable), n - 1);
		smp_call_function_many(&some, shoot_down, &v, true);
		CHECK(visited(&v, &some) <= 1);
		on_each_cpu_mask(&some, shoot_down, &v, true);
		CHECK_EQ(visited(&v, &some), 1);
		on_each_cpu_cond(in_use, shoot_down, &v, true);
		CHECK_EQ(visited(&v, &some), 1);
		cpumask_clear(&some);
		on_each_cpu_cond_mask(in_use, shoot_down, &v, true, &callable);
		CHECK_EQ(visited(&v, &some), 0);
	}
	kfree(v.runs);
}

static void check_refused(int cpu)
{
	struct request rq = { .cpu = cpu_after(-1) };

	INIT_CSD(&rq.csd, complete_request, &rq);
	CHECK(smp_call_function_single(cpu, complete_request, &rq, 1) ==
	      -ENXIO);
	CHECK(smp_call_function_single(cpu, complete_request, &rq, 0) ==
	      -ENXIO);
	CHECK(smp_call_function_single_async(cpu, &rq.csd) == -ENXIO);
	CHECK_EQ(rq.completed, 0);
	CHECK(submit(&rq) == 0);
	CHECK(smp_call_function_single(rq.cpu, nothing, NULL, 1) == 0);
	CHECK_EQ(rq.completed, 1);
	started++;
}

int main(int argc, char **argv)
{
	int cpu;

	count_threads(argc, argv);
	cpus_read_lock();
	for_each_online_cpu (cpu)
		if (smp_call_function_single(cpu, nothing, NULL, 1) == 0)
			cpumask_set_cpu((unsigned)cpu, &callable);
	cpus_read_unlock();
	CHECK(!cpumask_empty(&callable));
	run_threads(queue_requests);
	run_threads(call_and_wait);
	run_threads(call_many);
	check_timer();
	check_refused(-1);
	check_refused(INT_MAX);
	check_refused((int)nr_cpu_ids);
	check_refused((int)nr_cpu_ids - 1);
	for_each_possible_cpu (cpu)
		completed += per_cpu(requests_done, cpu);
	CHECK_EQ(completed, started);
	return TEST_PASS;
}
