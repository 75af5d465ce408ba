/* SPDX-License-Identifier: MIT */
/*
 * A sum that has looked at one slot when another is moved to it, and then looks
 * at that one, begins again: it is right.
 *
 * The page of the second slot is not to be read; the fault refreshes, in a
 * thread that holds nothing.
 */
#include "cpus.h"
#include "retires.h"

#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

enum { COUNTERS = 2000, MIDDLE = 1000, FIRST = 20, SECOND = 7 };

static struct percpu_counter many[COUNTERS];
static unsigned left;
static bool came;

static void protect(int how)
{
	uint64_t PERCPU *h = (uint64_t PERCPU *)many[MIDDLE].part;
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	uintptr_t at = (uintptr_t)percpu_ptr(h, left) & ~(page - 1);

	CHECK(mprotect((void *)at, page, how) == 0);
}

static void on_fault(int signal)
{
	(void)signal;
	CHECK(!came);
	came = true;
	protect(PROT_READ | PROT_WRITE);
	CHECK(percpu_cpus_refresh() == 0);
}

static void add(int64_t v)
{
	for (unsigned i = 0; i < COUNTERS; i++)
		percpu_counter_add(&many[i], v);
}

int main(void)
{
	struct sigaction action = { .sa_handler = on_fault };
	unsigned stays = allowed_cpu(0);
	size_t had;

	left = allowed_cpu(1);
	if (!retires_counters())
		SKIP("slots are not moved here");
	CHECK(sigaction(SIGSEGV, &action, NULL) == 0);
	CHECK(percpu_counter_init_many(many, 0, COUNTERS) == 0);
	go_to(left);
	add(SECOND);
	go_to(stays);
	add(FIRST);
	had = percpu_alloc_populated(left);
	protect(PROT_NONE);
	CHECK_EQ(percpu_counter_sum(&many[MIDDLE]), FIRST + SECOND);
	CHECK(came);
	CHECK(percpu_alloc_populated(left) < had);
	for (unsigned i = 0; i < COUNTERS; i++)
		CHECK_EQ(percpu_counter_sum(&many[i]), FIRST + SECOND);
	percpu_counter_destroy_many(many, COUNTERS);
	return TEST_PASS;
}
