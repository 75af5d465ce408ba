/* SPDX-License-Identifier: MIT */
/*
 * registry-stepped.c: at each instruction of an add or a remove, whoever asks
 * without the lock finds every chunk that stays, and none that never was.
 * Who asks is the handler of the trap that the processor takes after each.
 */
#include "check.h"
#include "registry.h"

#include <signal.h>

#define ALIGN (64u << 10)
#define STAY 12u
#define NEVER 100000u
#define TRAP_FLAG 0x100

struct percpu__geometry percpu__chunk_geometry = { .mask = ALIGN - 1 };
struct percpu__rt percpu__rt = { .stride = ALIGN - 4096 };

static struct percpu__chunk chunk;
static unsigned long steps;
static unsigned there; /* chunks, from number 0 on */

static char *base_of(unsigned i)
{
	return (char *)((uintptr_t)(i + 1) * ALIGN);
}

static void look(int sig)
{
	(void)sig;
	steps++;
	for (unsigned i = 0; i < there; i++)
		if (!percpu__registry_has(base_of(i)))
			FAIL("step %lu: chunk %u is missed", steps, i);
	if (percpu__registry_has(base_of(NEVER)))
		FAIL("step %lu: a chunk that never was", steps);
}

static void start_steps(void)
{
	__asm__ volatile("pushfq; orq %0, (%%rsp); popfq"
			 :
			 : "i"(TRAP_FLAG)
			 : "memory", "cc");
}

static void stop_steps(void)
{
	__asm__ volatile("pushfq; andq %0, (%%rsp); popfq"
			 :
			 : "i"(~TRAP_FLAG)
			 : "memory", "cc");
}

static void enter(unsigned i)
{
	bool added;

	chunk.base = base_of(i);
	CHECK(percpu__registry_reserve() == 0);
	start_steps();
	added = percpu__registry_add(&chunk);
	stop_steps();
	CHECK(added);
}

static void take_out(unsigned i)
{
	chunk.base = base_of(i);
	start_steps();
	percpu__registry_remove(&chunk);
	stop_steps();
	CHECK(!percpu__registry_has(chunk.base));
}

/* A chunk whose search starts where that of chunk @i does. */
static unsigned before(unsigned i)
{
	size_t place = percpu__registry_hash((uintptr_t)base_of(i)) & 63;
	unsigned j = NEVER + 1 + 1000 * i;

	while ((percpu__registry_hash((uintptr_t)base_of(j)) & 63) != place)
		j++;
	return j;
}

int main(void)
{
	unsigned i;

	CHECK(signal(SIGTRAP, look) != SIG_ERR);
	for (; there < STAY; there++) {
		enter(before(there));
		enter(there);
	}
	/* Those that stay lie behind some that go. */
	for (i = 0; i < STAY; i++)
		take_out(before(i));
	/* Others come and go, at each place, and stay until tables are full. */
	for (i = STAY; i < 100; i++) {
		enter(i);
		take_out(i);
	}
	for (; i < 240; i++)
		enter(i);
	while (i-- > 100)
		take_out(i);
	printf("%lu steps, %zu entries\n", steps, percpu__registry->mask + 1);
	CHECK(steps > 1000);
	CHECK(percpu__registry->mask + 1 >= 256);
	return TEST_PASS;
}
