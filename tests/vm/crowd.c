/* SPDX-License-Identifier: MIT */
#include "crowd.h"

#include "check.h"
#include "online.h"
#include "section.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <time.h>

enum { BURST = 16, HANDLER_BURST = 4 };

static struct crowd *crowd;
static __thread struct member *self;
static bool toggling;
static unsigned working;
static pthread_barrier_t begin; /* slow to start, quick to work */
static pthread_barrier_t end;

static _Alignas(SECTION_STRIDE) char sections[CROWD_CPUS_MAX * SECTION_STRIDE];
static _Alignas(SECTION_STRIDE) char controls[CROWD_CPUS_MAX * SECTION_STRIDE];
static char *const volatile sections_base = sections;

uint64_t crowd_section_sum(void)
{
	return section_sum(sections, CROWD_CPUS_MAX);
}

uint64_t crowd_control_sum(void)
{
	return section_sum(controls, CROWD_CPUS_MAX);
}

static uint64_t next(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

static void step(uint64_t *random, uint64_t *change, unsigned count)
{
	unsigned row = (unsigned)(next(random) >> 32) % nr_rows;

	for (unsigned i = 0; i < count; i++)
		change[row] += rows[row].step(next(random));
}

static void sections_of(struct member *m, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		while (!section_inc(&sections_base))
			m->aborted++;
	m->committed += count;
}

static void control(struct member *m, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		volatile uint64_t *p =
			(uint64_t *)(void *)(controls +
					     section_cpu() * SECTION_STRIDE);

		*p = *p + 1;
	}
	m->controls += count;
}

static void burst(struct member *m, unsigned count)
{
	step(&m->random, m->change, count);
	m->steps += count;
	sections_of(m, count);
	control(m, count);
}

static void on_signal(int nr)
{
	struct member *m = self;
	int e = errno;

	(void)nr;
	if (m == NULL)
		return;
	step(&m->handler_random, m->handler_change, HANDLER_BURST);
	m->handler_steps += HANDLER_BURST;
	errno = e;
}

static bool is(const bool *flag)
{
	return __atomic_load_n(flag, __ATOMIC_RELAXED);
}

static void *work(void *arg)
{
	struct member *m = arg;

	pthread_barrier_wait(&begin);
	self = m;
	for (unsigned i = 0; i < crowd->bursts || is(&toggling); i++) {
		burst(m, BURST);
		__atomic_store_n(&m->bursts, m->bursts + 1, __ATOMIC_RELAXED);
	}
	self = NULL;
	__atomic_fetch_sub(&working, 1, __ATOMIC_RELAXED);
	/* The mover still knows this thread by its id. */
	pthread_barrier_wait(&end);
	return NULL;
}

/* False for a CPU that is off line. */
static bool move(pthread_t id, uint64_t random)
{
	unsigned cpu = (unsigned)(random >> 32) % percpu_nr_cpu_ids();
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	return pthread_setaffinity_np(id, sizeof(one), &one) == 0;
}

/* A flood of signals would stop one that has not got on since the last. */
static void disturb(struct member *m, uint64_t random)
{
	uint64_t bursts = __atomic_load_n(&m->bursts, __ATOMIC_RELAXED);

	if (bursts == m->seen)
		return;
	m->seen = bursts;
	m->moves += move(m->id, random);
	m->signals += random % 2 == 0 && pthread_kill(m->id, SIGUSR1) == 0;
}

/* One of those that no other waker disturbs. */
static struct member *some_worker(struct member *waker)
{
	unsigned first = (unsigned)(waker - crowd->member) - crowd->workers;
	unsigned among = (crowd->workers - first - 1) / crowd->wakers + 1;
	unsigned i = (unsigned)(next(&waker->random) >> 32) % among;

	return &crowd->member[first + i * crowd->wakers];
}

static bool are_working(void)
{
	return __atomic_load_n(&working, __ATOMIC_RELAXED) != 0;
}

/*
 * Stops the worker on the CPU where it wakes, at whatever instruction that is,
 * and does there what workers do. Then it goes to another CPU, and now and then
 * sends a worker to one. What it waits for is a timer of the CPU it is on:
 * emulated CPUs share few real ones, and to wait for each other takes long.
 */
static void *wake(void *arg)
{
	const struct sched_param before_all = { .sched_priority = 1 };
	const struct timespec moment = { .tv_nsec = 1000000 };
	struct member *m = arg;

	CHECK(pthread_setschedparam(pthread_self(), SCHED_FIFO, &before_all) ==
	      0);
	pthread_barrier_wait(&begin);
	for (unsigned i = 0; are_working(); i++) {
		if (i % 8 == 0) {
			move(pthread_self(), next(&m->random));
			disturb(some_worker(m), next(&m->random));
		}
		nanosleep(&moment, NULL);
		burst(m, HANDLER_BURST);
	}
	return NULL;
}

/* Every CPU goes off line and comes back, most while others are away. */
static void *toggle(void *arg)
{
	static uint64_t random = 1442695040888963407u;
	uint64_t done = 0;

	(void)arg;
	for (unsigned tries = 0; done < crowd->toggles; tries++) {
		unsigned cpu =
			(unsigned)(next(&random) >> 32) % percpu_nr_cpu_ids();

		done += online_put(cpu, !percpu_cpu_online(cpu)) == 0;
		CHECK(tries < 1000 + 10 * crowd->toggles);
	}
	crowd->toggled += done;
	__atomic_store_n(&toggling, false, __ATOMIC_RELAXED);
	return NULL;
}

static void start(pthread_t *id, void *(*work_of)(void *), void *arg)
{
	CHECK(pthread_create(id, NULL, work_of, arg) == 0);
}

static void start_member(unsigned i)
{
	struct member *m = &crowd->member[i];

	m->random = 0x9e3779b97f4a7c15u * ++crowd->started;
	m->handler_random = 0xd1342543de82ef95u * crowd->started;
	start(&m->id, i < crowd->workers ? work : wake, m);
}

void crowd_round(struct crowd *c)
{
	struct sigaction act = { .sa_handler = on_signal,
				 .sa_flags = SA_RESTART };
	unsigned members = c->workers + c->wakers;
	pthread_t toggler;

	CHECK(c->wakers >= 1 && c->wakers <= c->workers);
	CHECK(members <= CROWD_MAX);
	CHECK(percpu_nr_cpu_ids() <= CROWD_CPUS_MAX);
	CHECK(sigaction(SIGUSR1, &act, NULL) == 0);
	crowd = c;
	toggling = c->toggles != 0;
	working = c->workers;
	pthread_barrier_init(&begin, NULL, members);
	pthread_barrier_init(&end, NULL, c->workers);
	for (unsigned i = 0; i < members; i++)
		start_member(i);
	if (c->toggles != 0)
		start(&toggler, toggle, NULL);
	for (unsigned i = 0; i < members; i++)
		pthread_join(c->member[i].id, NULL);
	if (c->toggles != 0)
		pthread_join(toggler, NULL);
	pthread_barrier_destroy(&begin);
	pthread_barrier_destroy(&end);
}
