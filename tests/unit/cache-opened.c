/* SPDX-License-Identifier: MIT */
/*
 * cache-opened.c: who starts the caches, and stops at any instruction, does not
 * open them while another thread empties them. Each time in a process of its
 * own, since it happens once.
 */
#include "cache.h"
#include "check.h"
#include "lock.h"
#include "memory.h"
#include "no_area.h"
#include "os.h"
#include "policy.h"

#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#define TRAP_FLAG 0x100
#define STOPPED 3 /* exit status: it was stopped somewhere */

struct percpu__rt percpu__rt = { .nr_slots = 2 };

static unsigned long step;
static unsigned long at; /* the step at which the start stops */
static bool stopped;
static bool done;
static sem_t stop;
static sem_t go_on;
static sem_t ended;

unsigned percpu_this_slot(void)
{
	return 1;
}

bool percpu__lock_is_strange(void)
{
	return false;
}

int percpu_fence(void)
{
	return 0;
}

static void set_steps(bool on)
{
	if (on)
		__asm__ volatile("pushfq; orq %0, (%%rsp); popfq"
				 :
				 : "i"(TRAP_FLAG)
				 : "memory", "cc");
	else
		__asm__ volatile("pushfq; andq %0, (%%rsp); popfq"
				 :
				 : "i"(~TRAP_FLAG)
				 : "memory", "cc");
}

static void on_trap(int sig, siginfo_t *info, void *context)
{
	(void)sig;
	(void)info;
	(void)context;
	if (step++ != at)
		return;
	stopped = true;
	sem_post(&stop);
	while (sem_wait(&go_on) != 0)
		;
}

/* The last that a start asks the system for. */
int __real_percpu__os_commit(void *p, size_t len);
int __wrap_percpu__os_commit(void *p, size_t len);
int __wrap_percpu__os_commit(void *p, size_t len)
{
	int err = __real_percpu__os_commit(p, len);

	set_steps(true);
	return err;
}

/* In the middle of emptying: the start goes on, and ends. */
int __wrap_percpu__os_resident(const void *p, size_t pages, uint64_t *bits);
int __wrap_percpu__os_resident(const void *p, size_t pages, uint64_t *bits)
{
	(void)p;
	(void)pages;
	*bits = 0;
	if (!done) {
		sem_post(&go_on);
		while (sem_wait(&ended) != 0)
			;
		done = true;
	}
	CHECK(__atomic_load_n(&percpu__cache_map.caches.base,
			      __ATOMIC_RELAXED) == NULL);
	return 0;
}

static void give(const uint64_t *items, unsigned n)
{
	(void)items;
	FAIL("%u items where there are none", n);
}

static void *drain(void *arg)
{
	while (sem_wait(&stop) != 0)
		;
	percpu__cache_drain(true, give);
	sem_post(&go_on);
	return arg;
}

/* In a process: whether the start was stopped. */
static int try(void)
{
	pthread_t thread;

	CHECK(pthread_create(&thread, NULL, drain, NULL) == 0);
	CHECK_EQ(percpu__cache_start(), 0);
	set_steps(false);
	sem_post(&ended);
	if (!stopped)
		return TEST_PASS;
	CHECK(pthread_join(thread, NULL) == 0);
	CHECK(percpu__cache_push(0, 16));
	return STOPPED;
}

/* Whether it was stopped at step @at. */
static bool stops(void)
{
	int status;
	pid_t child = fork();

	CHECK(child >= 0);
	if (child == 0)
		_exit(try());
	CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status));
	if (WEXITSTATUS(status) != STOPPED && WEXITSTATUS(status) != TEST_PASS)
		FAIL("stopped at step %lu: status %#x", at, status);
	return WEXITSTATUS(status) == STOPPED;
}

int main(void)
{
	struct sigaction trap = { .sa_sigaction = on_trap,
				  .sa_flags = SA_SIGINFO };
	struct percpu__policy p = { .mode = PERCPU_MODE_ATOMIC |
					    PERCPU__LATCHED };

	if (!MEMORY_IS_OURS)
		SKIP("a sanitizer's instructions are many");
	memcpy(&percpu__rt.policy, &p, sizeof(p));
	CHECK(sigaction(SIGTRAP, &trap, NULL) == 0);
	CHECK(sem_init(&stop, 0, 0) == 0 && sem_init(&go_on, 0, 0) == 0 &&
	      sem_init(&ended, 0, 0) == 0);
	while (stops())
		at++;
	printf("%lu steps\n", at);
	CHECK(at > 10);
	return TEST_PASS;
}
