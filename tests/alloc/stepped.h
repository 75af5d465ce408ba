/* SPDX-License-Identifier: MIT */
#ifndef TESTS_ALLOC_STEPPED_H
#define TESTS_ALLOC_STEPPED_H
/*
 * stepped.h: something is done in the middle of a call, at each instruction: in
 * the handler of the trap that the processor takes after each. An instruction
 * that is executed often is looked at once a call; or all over every n-th is,
 * where stepped_every is n.
 *
 * The file that includes this says what: stepped_do(), which returns false if
 * the call is to end at full speed.
 */
#include "check.h"
#include "random.h"

#include <signal.h>
#include <string.h>
#include <ucontext.h>

enum { STEPPED_FLAG = 0x100, STEPPED_TABLE = 1 << 14 };

static uintptr_t stepped_seen[STEPPED_TABLE];
static unsigned stepped_every = 1;
static unsigned stepped_count;

static bool stepped_do(void);

static inline bool stepped_is_new(uintptr_t at)
{
	size_t i = mix(at) % STEPPED_TABLE;

	while (stepped_seen[i] != 0 && stepped_seen[i] != at)
		i = (i + 1) % STEPPED_TABLE;
	if (stepped_seen[i] == at)
		return false;
	stepped_seen[i] = at;
	return stepped_count++ % stepped_every == 0;
}

static inline void stepped_on_trap(int signal, siginfo_t *info, void *context)
{
	greg_t *regs = ((ucontext_t *)context)->uc_mcontext.gregs;

	(void)signal;
	(void)info;
	if (stepped_is_new((uintptr_t)regs[REG_RIP]) && !stepped_do())
		regs[REG_EFL] &= ~STEPPED_FLAG;
}

/* Once, before the first step. */
static inline void stepped_prepare(void)
{
	const struct sigaction trap = { .sa_sigaction = stepped_on_trap,
					.sa_flags = SA_SIGINFO };

	CHECK(sigaction(SIGTRAP, &trap, NULL) == 0);
}

/* After stepped_stop(). */
static inline void stepped_go_on(void)
{
	__asm__ volatile("pushfq; orq %0, (%%rsp); popfq"
			 :
			 : "i"(STEPPED_FLAG)
			 : "memory", "cc");
}

static inline void stepped_start(void)
{
	memset(stepped_seen, 0, sizeof(stepped_seen));
	stepped_go_on();
}

static inline void stepped_stop(void)
{
	__asm__ volatile("pushfq; andq %0, (%%rsp); popfq"
			 :
			 : "i"(~STEPPED_FLAG)
			 : "memory", "cc");
}

#endif
