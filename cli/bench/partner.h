/* SPDX-License-Identifier: MIT */
#ifndef BENCH_PARTNER_H
#define BENCH_PARTNER_H
/*
 * partner.h: threads that do what the measured thread asks for, on the other
 * measured CPU. One of them is awake at a time; the others sleep, so that they
 * take nothing from it.
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <sys/types.h>

struct partner {
	void (*serve)(struct partner *p); /* return soon when asked to leave */
	void (*wake)(struct partner *p);  /* leave is set: notice; or NULL */
	bool leave;
	bool closing;
	bool opened;
	int cpu;
	pid_t tid; /* of the thread, which may be the library's */
	pthread_t thread;
	sem_t go;
	sem_t ready;
};

/*
 * Make a thread on @cpu that will serve; 0 or -errno. partner_watch_worker() is
 * for the library's, which is there already and sleeps when it has nothing to
 * do.
 */
int partner_open(struct partner *p, int cpu);
int partner_watch_worker(struct partner *p, unsigned cpu);
void partner_close(struct partner *p);

/* Let it serve; let it sleep, and wait until it does. */
void partner_begin(struct partner *p);
void partner_end(struct partner *p);

/* Whether it is to end serving: asked at each turn of its loop. */
static inline bool partner_leaves(const struct partner *p)
{
	return __atomic_load_n(&p->leave, __ATOMIC_RELAXED);
}

/* How often it was put on a CPU, as far as the kernel tells. */
long partner_switches(const struct partner *p);

/* Wait until it sleeps; false if it does not within half a second. */
bool partner_sleeps(const struct partner *p);

#endif
