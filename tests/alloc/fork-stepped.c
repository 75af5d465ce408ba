/* SPDX-License-Identifier: MIT */
/*
 * A thread forks at each instruction of its own percpu_alloc() and
 * percpu_free(), in a signal handler. The child ends the call, finds its
 * objects whole and nothing lost, and allocates.
 *
 * usage: fork-stepped [EVERY]     at one of so many instructions
 */
#include "books.h"
#include "calls.h"
#include "forked.h"
#include "memory.h"

enum { SECONDS = 300 };

static unsigned forks;

static bool stepped_do(void)
{
	forks++;
	return !forked_here();
}

static void calls_end(char PERCPU *h)
{
	if (!forked)
		return;
	percpu_free(h);
	forked_use();
	let_go();
	books_check_empty();
	_exit(TEST_PASS);
}

int main(int argc, char **argv)
{
	if (!MEMORY_IS_OURS)
		SKIP("a sanitizer's instructions are many");
	alarm(SECONDS); /* a fork that does not come back */
	if (argc > 1)
		stepped_every = (unsigned)strtoul(argv[1], NULL, 10);
	forked_keep();
	stepped_prepare();
	step_through_all();
	forked_check();
	printf("%u forks\n", forks);
	CHECK(forks > 100);
	return TEST_PASS;
}
