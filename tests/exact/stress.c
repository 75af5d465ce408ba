/* SPDX-License-Identifier: MIT */
#include "stress.h"

#include "check.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <time.h>

enum { SIGNALS_MIN = 3 }; /* that each worker gets */

static __thread struct worker *self;

static uint64_t next(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

static uint64_t unit_of(const struct worker *w, unsigned cpu)
{
	return __atomic_load_n((uint64_t *)percpu_ptr(w->own, cpu),
			       __ATOMIC_RELAXED);
}

static unsigned watched_cpus(void)
{
	unsigned slots = percpu_nr_slots();

	return slots < STRESS_CPUS_MAX ? slots : STRESS_CPUS_MAX;
}

static void look(struct worker *w)
{
	for (unsigned cpu = 0; cpu < watched_cpus(); cpu++)
		w->units[cpu] = unit_of(w, cpu);
}

static void check_still(const struct worker *w)
{
	for (unsigned cpu = 0; cpu < watched_cpus(); cpu++)
		if (cpu != w->at && unit_of(w, cpu) != w->units[cpu])
			FAIL("a thread on CPU %u added to the unit of CPU %u",
			     w->at, cpu);
}

static unsigned some_cpu(const struct stress *s, uint64_t random)
{
	unsigned left =
		(unsigned)(random >> 32) % (unsigned)CPU_COUNT(&s->cpus);
	unsigned cpu = 0;

	while (!CPU_ISSET(cpu, &s->cpus) || left-- != 0)
		cpu++;
	return cpu;
}

static void bind_to(pthread_t id, unsigned cpu)
{
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	CHECK(pthread_setaffinity_np(id, sizeof(one), &one) == 0);
}

/* Go on elsewhere, in the middle of what the signal has interrupted. */
static void walk(struct worker *w)
{
	if (w->watch)
		check_still(w);
	w->at = some_cpu(w->stress, w->handler_random);
	bind_to(pthread_self(), w->at);
	look(w);
}

/* QEMU 7.2 starts handlers on a misaligned stack. */
#if defined(__x86_64__)
__attribute__((force_align_arg_pointer))
#endif
static void
on_signal(int nr)
{
	struct worker *w = self;

	(void)nr;
	if (w == NULL)
		return;
	stress_op(w->stress->h, w->own, next(&w->handler_random),
		  w->handler_added);
	__atomic_store_n(&w->handler_ops, w->handler_ops + STRESS_BURST,
			 __ATOMIC_RELAXED);
	if (w->walks)
		walk(w);
}

static void wait_for(sem_t *sem)
{
	while (sem_wait(sem) != 0)
		CHECK(errno == EINTR);
}

static void burst(struct worker *w)
{
	w->op(w->stress->h, w->own, next(&w->random), w->added);
	__atomic_store_n(&w->ops, w->ops + STRESS_BURST, __ATOMIC_RELAXED);
}

/* Work goes on until signals have come, however late the mover runs. */
static bool done(const struct worker *w, unsigned bursts)
{
	return bursts >= w->stress->bursts &&
	       __atomic_load_n(&w->handler_ops, __ATOMIC_RELAXED) >=
		       SIGNALS_MIN * STRESS_BURST;
}

static void *work(void *arg)
{
	struct worker *w = arg;
	unsigned half = w->stress->bursts / 2;

	if (w->walks) {
		w->at = some_cpu(w->stress, 0);
		bind_to(pthread_self(), w->at);
	}
	if (w->first != NULL)
		w->first();
	if (w->place != STRESS_ANYWHERE)
		CHECK_EQ(percpu_backend(NULL), w->place);
	self = w;
	for (unsigned i = 0; !done(w, i); i++) {
		if (i == half && w->midway != NULL)
			w->midway();
		burst(w);
	}
	sem_post(&w->stress->done);
	wait_for(&w->stress->leave);
	self = NULL;
	return NULL;
}

/* Whether @w has got on since the last time; a flood of signals would stop it. */
static bool got_on(struct worker *w)
{
	uint64_t ops = __atomic_load_n(&w->ops, __ATOMIC_RELAXED);
	bool yes = ops != w->ops_seen;

	w->ops_seen = ops;
	return yes;
}

static void disturb(struct worker *w, uint64_t random)
{
	if (!w->walks)
		bind_to(w->id, some_cpu(w->stress, random));
	pthread_kill(w->id, SIGUSR1);
	w->stress->moves++;
}

static void *move(void *arg)
{
	const struct timespec moment = { .tv_nsec = 1000 };
	struct stress *s = arg;
	uint64_t random = 88172645463325252u;

	while (!__atomic_load_n(&s->stop, __ATOMIC_RELAXED)) {
		for (unsigned i = 0; i < s->threads; i++)
			if (got_on(&s->worker[i]))
				disturb(&s->worker[i], next(&random));
		nanosleep(&moment, NULL);
	}
	return NULL;
}

void stress_init(struct stress *s, unsigned threads, unsigned bursts)
{
	bool by_cpu = getenv("PERCPU_INDEX") == NULL;

	memset(s, 0, sizeof(*s));
	CHECK(threads >= 1 && threads <= STRESS_THREADS_MAX);
	s->h = percpu_new(struct stress_object);
	CHECK(s->h != NULL);
	s->threads = threads;
	s->bursts = bursts;
	CHECK(sched_getaffinity(0, sizeof(s->cpus), &s->cpus) == 0);
	for (unsigned i = 0; i < threads; i++) {
		struct worker *w = &s->worker[i];

		w->stress = s;
		w->place = (enum stress_place)percpu_backend(NULL);
		w->op = stress_op;
		w->own = percpu_new(uint64_t);
		CHECK(w->own != NULL);
		w->watch = w->place == STRESS_RSEQ && by_cpu;
		w->walks = i % 2 == 0;
		w->random = 0x9e3779b97f4a7c15u * (i + 1);
		w->handler_random = 0xd1342543de82ef95u * (i + 1);
	}
}

void stress_widen(struct stress *s)
{
	cpu_set_t all;
	cpu_set_t before;

	memset(&all, 0xff, sizeof(all));
	CHECK(sched_getaffinity(0, sizeof(before), &before) == 0);
	CHECK(sched_setaffinity(0, sizeof(all), &all) == 0);
	CHECK(sched_getaffinity(0, sizeof(s->cpus), &s->cpus) == 0);
	CHECK(sched_setaffinity(0, sizeof(before), &before) == 0);
}

void stress_run(struct stress *s)
{
	struct sigaction act = { .sa_handler = on_signal };
	pthread_t mover;

	CHECK(sigaction(SIGUSR1, &act, NULL) == 0);
	sem_init(&s->done, 0, 0);
	sem_init(&s->leave, 0, 0);
	for (unsigned i = 0; i < s->threads; i++)
		CHECK(pthread_create(&s->worker[i].id, NULL, work,
				     &s->worker[i]) == 0);
	CHECK(pthread_create(&mover, NULL, move, s) == 0);
	for (unsigned i = 0; i < s->threads; i++)
		wait_for(&s->done);
	__atomic_store_n(&s->stop, 1, __ATOMIC_RELAXED);
	pthread_join(mover, NULL);
	for (unsigned i = 0; i < s->threads; i++)
		sem_post(&s->leave);
	for (unsigned i = 0; i < s->threads; i++)
		pthread_join(s->worker[i].id, NULL);
}

static uint64_t added_to(const struct stress *s, unsigned field)
{
	uint64_t total = 0;

	for (unsigned i = 0; i < s->threads; i++)
		total += s->worker[i].added[field] +
			 s->worker[i].handler_added[field];
	return total;
}

static void check_sums(const struct stress *s)
{
	struct stress_object PERCPU *h = s->h;
	const struct stress_object *slot;

	CHECK_EQ(percpu_sum(&h->byte), (uint8_t)added_to(s, 0));
	CHECK_EQ(percpu_sum(&h->two), (uint16_t)added_to(s, 1));
	CHECK_EQ(percpu_sum(&h->four), (uint32_t)added_to(s, 2));
	CHECK_EQ(percpu_sum(&h->eight), added_to(s, 3));
	CHECK_EQ(percpu_sum(&h->late_four), (uint32_t)added_to(s, 4));
	CHECK_EQ(percpu_sum(&h->late_two), (uint16_t)added_to(s, 5));
	CHECK_EQ(percpu_sum(&h->odd), (uint8_t)added_to(s, 6));
	CHECK_EQ(percpu_sum(&h->last), added_to(s, 7));
	percpu_for_each_slot (slot, h) {
		CHECK_EQ(slot->quiet, 0);
		CHECK_EQ(slot->still, 0);
	}
}

/* The increments by workers of which @place is expected. */
static uint64_t ops_of(const struct stress *s, enum stress_place place)
{
	uint64_t ops = 0;

	for (unsigned i = 0; i < s->threads; i++)
		if (s->worker[i].place == place)
			ops += s->worker[i].ops + s->worker[i].handler_ops;
	return ops;
}

/* That adds went where the mode sends them, so that no mode hides another. */
static void check_places(const struct stress *s)
{
	uint64_t rseq = ops_of(s, STRESS_RSEQ);
	uint64_t at_least = ops_of(s, STRESS_SHARED);
	uint64_t anywhere = ops_of(s, STRESS_ANYWHERE);
	uint64_t shared = percpu_shared_ptr(s->h)->ops;
	unsigned units = 0;

	CHECK_EQ(percpu_sum(&s->h->ops),
		 rseq + at_least + anywhere + ops_of(s, STRESS_ATOMIC));
	CHECK(shared >= at_least);
	CHECK(shared - at_least <= rseq / 2 + anywhere);
	for (unsigned i = 0; i < percpu_nr_slots(); i++)
		units += percpu_ptr(s->h, i)->ops != 0;
	printf("%u threads, %lu moves, %llu increments, of them in the shared slot %llu, in %u units the others\n",
	       s->threads, s->moves, (unsigned long long)percpu_sum(&s->h->ops),
	       (unsigned long long)shared, units);
}

void stress_check(const struct stress *s)
{
	check_sums(s);
	check_places(s);
	for (unsigned i = 0; i < s->threads; i++) {
		const struct worker *w = &s->worker[i];

		CHECK_EQ(percpu_sum(w->own), w->ops + w->handler_ops);
		percpu_free(w->own);
	}
	percpu_free(s->h);
}
