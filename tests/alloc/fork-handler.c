/* SPDX-License-Identifier: MIT */
/*
 * A signal handler forks, whatever it interrupted: percpu_alloc() or
 * percpu_free(). The child returns from the handler, ends what was interrupted
 * and then allocates; the parent goes on when the child has ended.
 */
#include "forked.h"

#include <pthread.h>
#include <signal.h>

enum { FORKS = 200, LIVE = 16, SECONDS = 100 };

static struct object objects[LIVE]; /* live where h is not NULL */
static volatile sig_atomic_t forks;
static pthread_t target;

static void on_signal(int signal)
{
	(void)signal;
	if (!forked && !forked_here())
		forks++;
}

/* One signal after the other; each comes when the last one is dealt with. */
static void *disturb(void *arg)
{
	for (int i = 0; i < FORKS; i++) {
		while (forks < i)
			sched_yield();
		usleep(50 + (unsigned)i * 7 % 100);
		pthread_kill(target, SIGUSR1);
	}
	return arg;
}

static void step(uint64_t *random)
{
	struct object *o = &objects[pick(random, LIVE)];
	size_t size = one_in(random, 30) ? 4000 : 4 + 4 * pick(random, 40);

	if (o->h != NULL) {
		model_leave(o);
		percpu_free(o->h);
	}
	model_enter(o, must_alloc(size, 4), size, 4);
	model_write(o, draw(random));
}

int main(void)
{
	uint64_t random = 9;
	pthread_t thread;

	alarm(SECONDS); /* a fork that does not come back */
	forked_keep();
	signal(SIGUSR1, on_signal);
	target = pthread_self();
	CHECK(pthread_create(&thread, NULL, disturb, NULL) == 0);
	while (forks < FORKS) {
		step(&random);
		if (forked) {
			forked_use();
			_exit(TEST_PASS);
		}
	}
	CHECK(pthread_join(thread, NULL) == 0);
	forked_check();
	return TEST_PASS;
}
