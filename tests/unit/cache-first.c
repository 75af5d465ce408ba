/* SPDX-License-Identifier: MIT */
/*
 * cache-first.c: a thread's first pop, made while the caches are being started
 * by somebody else, finds them shut or in order: it never looks for its bin
 * where another one is. Whoever starts them comes in at each instruction of the
 * pop in turn, in a process of its own, since it happens once.
 */
#include "cache.h"
#include "check.h"
#include "lock.h"
#include "memory.h"
#include "no_area.h"
#include "policy.h"

#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#define TRAP_FLAG 0x100
#define BIN 5u
#define ITEM ((uint64_t)BIN << 4)
#define OTHER ((uint64_t)1 << 4) /* of bin 0 */
#define STARTED 3		 /* exit status: somebody came in */

struct percpu__rt percpu__rt;

static unsigned long step;
static unsigned long at; /* the step at which the caches are started */

unsigned percpu_this_slot(void)
{
	return 0;
}

bool percpu__lock_is_strange(void)
{
	return false;
}

int percpu_fence(void)
{
	return 0;
}

static void start(void)
{
	CHECK_EQ(percpu__cache_start(), 0);
	while (!percpu__cache_push(0, OTHER))
		;
	while (!percpu__cache_push(BIN, ITEM))
		;
}

/* Then the pop goes on without being stopped any more. */
static void on_trap(int sig, siginfo_t *info, void *context)
{
	ucontext_t *u = context;

	(void)sig;
	(void)info;
	if (step++ != at)
		return;
	u->uc_mcontext.gregs[REG_EFL] &= ~TRAP_FLAG;
	start();
}

static bool pop(uint64_t *item)
{
	bool any;

	__asm__ volatile("pushfq; orq %0, (%%rsp); popfq"
			 :
			 : "i"(TRAP_FLAG)
			 : "memory", "cc");
	any = percpu__cache_pop(BIN, item);
	__asm__ volatile("pushfq; andq %0, (%%rsp); popfq"
			 :
			 : "i"(~TRAP_FLAG)
			 : "memory", "cc");
	return any;
}

static void pop_first(void)
{
	uint64_t item;
	bool any = pop(&item);

	if (any)
		CHECK_EQ(item, ITEM);
	exit(step > at ? STARTED : TEST_PASS);
}

/* Whether there is an instruction number at. */
static bool is_interrupted(void)
{
	pid_t child = fork();
	int status;

	CHECK(child >= 0);
	if (child == 0)
		pop_first();
	CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status));
	if (WEXITSTATUS(status) == TEST_FAIL)
		FAIL("started at step %lu", at);
	return WEXITSTATUS(status) == STARTED;
}

static void latch(void)
{
	struct percpu__policy p = { .mode = PERCPU_MODE_RSEQ |
					    PERCPU__LATCHED };

	memcpy(&percpu__rt.policy, &p, sizeof(p));
	percpu__rt.nr_slots = (uint32_t)sysconf(_SC_NPROCESSORS_CONF);
	percpu__rt.limit = percpu__rt.nr_slots;
	percpu__rt.index = __rseq_offset + 4;
}

int main(void)
{
	struct sigaction trap = { .sa_sigaction = on_trap,
				  .sa_flags = SA_SIGINFO };

	if (!MEMORY_IS_OURS)
		SKIP("a sanitizer's instructions are many");
	latch();
	if (percpu__area_cpu(percpu__area()) < 0 ||
	    (uint32_t)percpu__area_cpu(percpu__area()) >= percpu__rt.nr_slots)
		SKIP("no restartable sequences on this machine");
	CHECK(sigaction(SIGTRAP, &trap, NULL) == 0);
	while (is_interrupted())
		at++;
	printf("%lu steps\n", at);
	CHECK(at > 5);
	return TEST_PASS;
}
