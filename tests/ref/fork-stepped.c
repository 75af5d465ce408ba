/* SPDX-License-Identifier: MIT */
/*
 * fork-stepped.c: at each instruction of what an owner, a promoter or a look
 * does to a reference, a fork leaves a child in which it is counted right, and
 * dies and is released: the thread that was at it did not come along, or it
 * forked in a signal handler, and goes on with it there.
 */
#include "support.h"

#include "../alloc/stepped.h"

#include <stdlib.h>
#include <sys/wait.h>

#define OTHERS 4u

static struct percpu_ref ref, other[OTHERS];
static struct percpu_ref *refs[] = { &ref };
static unsigned released;
static unsigned forks;
static bool child;

/* What is stepped through, and the count before and after it. */
static struct call {
	void (*call)(void);
	int64_t before, after;
	bool ends; /* nobody uses it after */
} now;

static void release(struct percpu_ref *r)
{
	released += r == &ref;
}

static bool has(uint64_t mark)
{
	return (ref_word(&ref) & mark) != 0;
}

/* Through another handle, if the first was being taken away. */
static void heat_it(void)
{
	percpu_ref_get(&ref);
	ref_promote(&ref);
	percpu_ref_put(&ref);
	percpu__ref_adapt_settle();
	percpu__ref_adapt_settle();
}

static void switch_it(void)
{
	int64_t n = percpu_ref_val(&ref);

	if (forks % 3 == 0)
		CHECK_EQ(percpu_ref_switch_to_atomic(&ref, NULL), 0);
	else if (forks % 3 == 1 && has(PERCPU__REF_REINIT))
		CHECK_EQ(percpu_ref_switch_to_percpu(&ref), 0);
	else if (has(PERCPU__REF_ADAPTS))
		heat_it();
	CHECK_EQ(percpu_ref_val(&ref), n);
}

static void end_it(void)
{
	int64_t n = percpu_ref_val(&ref);

	CHECK(n == now.before || n == now.after);
	if (n == 0)
		CHECK_EQ(percpu_ref_reinit(&ref), 0);
	released = 0;
	if (!percpu_ref_is_dying(&ref))
		switch_it();
	if (!percpu_ref_is_dying(&ref) || has(PERCPU__REF_KILLING))
		percpu_ref_kill(&ref);
	if (released == 0) {
		CHECK_EQ(percpu_ref_val(&ref), 1);
		percpu_ref_put(&ref);
	}
	CHECK_EQ(released, 1);
	CHECK_EQ(percpu_ref_exit(&ref), 0);
}

static void use_others(void)
{
	for (unsigned i = 0; i < OTHERS; i++)
		ref_promote(&other[i]);
	percpu__ref_adapt_settle();
	percpu__ref_adapt_settle();
	for (unsigned i = 0; i < OTHERS; i++) {
		CHECK_EQ(percpu_ref_val(&other[i]), 1);
		CHECK(!ref_is_percpu(&other[i]));
	}
}

static void in_child(void)
{
	alarm(20);
	if (!now.ends)
		end_it();
	if (now.ends || forks % 4 == 0)
		use_others();
	_exit(TEST_PASS);
}

/* Whether the child that is made goes on with the call. */
static bool forked(bool goes_on)
{
	int status;
	pid_t pid = fork();

	CHECK(pid >= 0);
	if (pid == 0) {
		child = true;
		if (!goes_on)
			in_child();
		return true;
	}
	CHECK(waitpid(pid, &status, 0) == pid);
	CHECK_EQ(status, 0);
	return false;
}

static bool stepped_do(void)
{
	forked(false);
	return forks++ % 4 != 0 || !forked(true);
}

static void step(void (*call)(void), int64_t before, int64_t after)
{
	now = (struct call){ call, before, after, false };
	stepped_start();
	call();
	stepped_stop();
	if (child)
		in_child();
	end_it();
}

static void begin(unsigned flags)
{
	CHECK_EQ(percpu_ref_init(&ref, release, flags), 0);
	percpu_ref_get(&ref);
}

static void kill_it(void)
{
	percpu_ref_kill(&ref);
}

static void kill_many(void)
{
	percpu_ref_kill_many(refs, 1);
}

static void to_atomic(void)
{
	CHECK_EQ(percpu_ref_switch_to_atomic(&ref, NULL), 0);
}

static void to_percpu(void)
{
	CHECK_EQ(percpu_ref_switch_to_percpu(&ref), 0);
}

static void promote(void)
{
	ref_promote(&ref);
}

static void reinit(void)
{
	CHECK_EQ(percpu_ref_reinit(&ref), 0);
}

static void resurrect(void)
{
	CHECK_EQ(percpu_ref_resurrect(&ref), 0);
}

static void by_the_owner(unsigned flags)
{
	begin(flags);
	step(kill_it, 2, 1);
	begin(flags);
	step(kill_many, 2, 1);
	begin(flags);
	step(to_atomic, 2, 2);
	if (flags == 0)
		return;
	begin(flags);
	to_atomic();
	step(to_percpu, 2, 2);
	begin(flags);
	percpu_ref_kill(&ref);
	step(resurrect, 1, 2);
	begin(flags);
	percpu_ref_put(&ref);
	percpu_ref_kill(&ref);
	step(reinit, 0, 1);
}

/* One of its references is in a slot. */
static void begin_hot(void)
{
	CHECK_EQ(percpu_ref_init(&ref, release, PERCPU_REF_ADAPTIVE), 0);
	promote();
	percpu_ref_get(&ref);
}

static void adaptive(void)
{
	begin(PERCPU_REF_ADAPTIVE);
	step(promote, 2, 2);
	begin_hot();
	step(percpu__ref_adapt_settle, 2, 2);
	begin_hot();
	percpu__ref_adapt_settle();
	step(percpu__ref_adapt_settle, 2, 2);
	begin_hot();
	step(kill_it, 2, 1);
}

static void exit_it(void)
{
	CHECK_EQ(percpu_ref_exit(&ref), 0);
}

static void ended(void)
{
	begin(PERCPU_REF_ADAPTIVE);
	promote();
	percpu_ref_put(&ref);
	now = (struct call){ exit_it, 0, 0, true };
	stepped_start();
	exit_it();
	stepped_stop();
	if (child)
		in_child();
}

int main(int argc, char **argv)
{
	if (argc > 1)
		stepped_every = (unsigned)atoi(argv[1]);
	if (!ref_can())
		SKIP("nothing counts per CPU here");
	for (unsigned i = 0; i < OTHERS; i++)
		CHECK_EQ(percpu_ref_init(&other[i], release,
					 PERCPU_REF_ADAPTIVE),
			 0);
	use_others(); /* so handles are listed, and come back the other way */
	stepped_prepare();
	by_the_owner(0);
	by_the_owner(PERCPU_REF_ALLOW_REINIT);
	adaptive();
	ended();
	CHECK(forks > 10);
	return TEST_PASS;
}
