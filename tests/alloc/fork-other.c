/* SPDX-License-Identifier: MIT */
/*
 * A thread forks while another one is at an instruction of percpu_alloc() or
 * percpu_free(): each of them in turn. The child, where the other thread is
 * not, finds its objects whole and nothing lost but the object that the other
 * had in its hands, and allocates.
 *
 * usage: fork-other [EVERY]     at one of so many instructions
 */
#include "books.h"
#include "calls.h"
#include "forked.h"
#include "memory.h"

#include <pthread.h>

enum { SECONDS = 300 };

enum { ASK = 'a', END = 'e' };

/* Two pipes: what the other thread wants, and that it was done. */
static int wants[2];
static int done[2];
static unsigned forks;

static void say(int fd, char c)
{
	CHECK(write(fd, &c, 1) == 1);
}

static char hear(int fd)
{
	char c;

	CHECK(read(fd, &c, 1) == 1);
	return c;
}

static bool stepped_do(void)
{
	say(wants[1], ASK);
	hear(done[0]);
	return true;
}

static void calls_end(char PERCPU *h)
{
	(void)h;
}

static void *step(void *arg)
{
	/* Areas of the library's own are taken with all signals blocked. */
	percpu_free(must_alloc(8, 4));
	step_through_all();
	say(wants[1], END);
	return arg;
}

/* Those that the other thread was about to have, or to let go, are few. */
static void be_child(void)
{
	struct percpu_alloc_stats s;

	forked_use();
	percpu_trim();
	percpu_alloc_stats(&s);
	CHECK_EQ(s.cached, 0);
	CHECK(s.live == others || s.live == others + 1);
	books_check(s.live, s.live_bytes);
	let_go();
	percpu_trim();
	percpu_alloc_stats(&s);
	CHECK(s.live <= 1 && s.chunks <= 1);
	books_check(s.live, s.live_bytes);
	_exit(TEST_PASS);
}

static void answer(void)
{
	if (forked_here())
		be_child();
	forks++;
	say(done[1], ASK);
}

int main(int argc, char **argv)
{
	pthread_t thread;

	if (!MEMORY_IS_OURS)
		SKIP("a sanitizer's instructions are many");
	alarm(SECONDS); /* a fork that does not come back */
	if (argc > 1)
		stepped_every = (unsigned)strtoul(argv[1], NULL, 10);
	forked_keep();
	stepped_prepare();
	CHECK(pipe(wants) == 0 && pipe(done) == 0);
	CHECK(pthread_create(&thread, NULL, step, NULL) == 0);
	while (hear(wants[0]) != END)
		answer();
	CHECK(pthread_join(thread, NULL) == 0);
	forked_check();
	printf("%u forks\n", forks);
	CHECK(forks > 100);
	return TEST_PASS;
}
