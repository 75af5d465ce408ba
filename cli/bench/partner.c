/* SPDX-License-Identifier: MIT */
#include "partner.h"

#include "clock.h"

#include <errno.h>
#include <fcntl.h>
#include <percpu/call.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PATIENCE_NS 500000000

static void *partner(void *arg)
{
	struct partner *p = arg;
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET((size_t)p->cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
	p->tid = gettid();
	sem_post(&p->ready);
	for (;;) {
		sem_wait(&p->go);
		if (p->closing)
			return NULL;
		p->serve(p);
	}
}

int partner_open(struct partner *p, int cpu)
{
	int err;

	p->cpu = cpu;
	sem_init(&p->go, 0, 0);
	sem_init(&p->ready, 0, 0);
	err = pthread_create(&p->thread, NULL, partner, p);
	if (err != 0)
		return -err;
	sem_wait(&p->ready);
	p->opened = true;
	return 0;
}

static void tell_tid(void *tid)
{
	*(pid_t *)tid = gettid();
}

int partner_watch_worker(struct partner *p, unsigned cpu)
{
	return percpu_call(cpu, tell_tid, &p->tid);
}

void partner_close(struct partner *p)
{
	if (!p->opened)
		return;
	p->closing = true;
	sem_post(&p->go);
	pthread_join(p->thread, NULL);
	sem_destroy(&p->go);
	sem_destroy(&p->ready);
	p->opened = false;
}

void partner_begin(struct partner *p)
{
	if (!p->opened)
		return;
	__atomic_store_n(&p->leave, false, __ATOMIC_RELAXED);
	sem_post(&p->go);
}

void partner_end(struct partner *p)
{
	if (p->opened) {
		__atomic_store_n(&p->leave, true, __ATOMIC_RELAXED);
		if (p->wake != NULL)
			p->wake(p);
	}
	partner_sleeps(p);
}

/* A small file of the thread's in /proc; false if there is none. */
static bool ask(const struct partner *p, const char *file, char *text,
		size_t size)
{
	char path[64];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/self/task/%d/%s", (int)p->tid,
		 file);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	n = read(fd, text, size - 1);
	close(fd);
	text[n > 0 ? n : 0] = '\0';
	return n > 0;
}

long partner_switches(const struct partner *p)
{
	char text[128];
	char *last;

	if (!ask(p, "schedstat", text, sizeof(text)))
		return 0;
	last = strrchr(text, ' ');
	return last != NULL ? strtol(last, NULL, 10) : 0;
}

bool partner_sleeps(const struct partner *p)
{
	uint64_t start = clock_ns(CLOCK_MONOTONIC);
	char text[256];
	char *state;

	do {
		if (!ask(p, "stat", text, sizeof(text)))
			return false;
		state = strrchr(text, ')');
		if (state != NULL && strncmp(state, ") S", 3) == 0)
			return true;
	} while (clock_ns(CLOCK_MONOTONIC) - start < PATIENCE_NS);
	return false;
}
