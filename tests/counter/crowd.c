/* SPDX-License-Identifier: MIT */
#include "crowd.h"

#include "check.h"

#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>

static struct crowd *crowd;
static pthread_barrier_t start;
static unsigned running;
static __thread struct crowd_member *self;

uint64_t crowd_random(struct crowd_member *me)
{
	me->random = me->random * 6364136223846793005u + 1442695040888963407u;
	return me->random >> 33;
}

static void on_signal(int sig)
{
	(void)sig;
	if (self != NULL)
		crowd->handler(self);
}

static void *member(void *arg)
{
	self = arg;
	pthread_barrier_wait(&start);
	for (unsigned i = 0; i < crowd->steps; i++) {
		crowd->step(self);
		__atomic_store_n(&self->steps, i + 1, __ATOMIC_RELAXED);
	}
	self = NULL;
	__atomic_fetch_sub(&running, 1, __ATOMIC_RELEASE);
	return NULL;
}

/* The @n-th, modulo their number, of the CPUs this process may use. */
int crowd_pin(pthread_t thread, unsigned n)
{
	static cpu_set_t allowed;
	static unsigned count;
	cpu_set_t one;
	size_t cpu = 0;

	if (count == 0) {
		CHECK(sched_getaffinity(0, sizeof(allowed), &allowed) == 0);
		count = (unsigned)CPU_COUNT(&allowed);
	}
	for (n %= count; n > 0 || !CPU_ISSET(cpu, &allowed); cpu++)
		n -= CPU_ISSET(cpu, &allowed) ? 1 : 0;
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	return pthread_setaffinity_np(thread, sizeof(one), &one);
}

/* No signal to a thread that has ended: those are joined after this. */
static void disturb(void)
{
	unsigned n = 0;

	while (__atomic_load_n(&running, __ATOMIC_ACQUIRE) != 0) {
		struct crowd_member *m = &crowd->member[n++ % CROWD];

		crowd_pin(m->thread, n / CROWD);
		if (crowd->handler != NULL)
			pthread_kill(m->thread, SIGUSR1);
		sched_yield();
	}
}

void crowd_run(struct crowd *c)
{
	struct sigaction sa = { .sa_handler = on_signal,
				.sa_flags = SA_RESTART };

	crowd = c;
	running = CROWD;
	CHECK(pthread_barrier_init(&start, NULL, CROWD + 1) == 0);
	CHECK(sigaction(SIGUSR1, &sa, NULL) == 0);
	for (unsigned i = 0; i < CROWD; i++) {
		c->member[i].random = i + 1;
		CHECK(pthread_create(&c->member[i].thread, NULL, member,
				     &c->member[i]) == 0);
	}
	pthread_barrier_wait(&start);
	disturb();
	for (unsigned i = 0; i < CROWD; i++)
		CHECK(pthread_join(c->member[i].thread, NULL) == 0);
	pthread_barrier_destroy(&start);
}

int64_t crowd_added(const struct crowd *c)
{
	int64_t sum = 0;

	for (unsigned i = 0; i < CROWD; i++)
		sum += c->member[i].added + c->member[i].added_in_handler;
	return sum;
}
