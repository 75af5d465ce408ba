/* SPDX-License-Identifier: MIT */
/*
 * fork.c: in children forked while other threads add, carry and reset, adds are
 * in the sum once, and the read is within its bound.
 */
#include "check.h"
#include "crowd.h"

#include <percpu/percpu.h>
#include <sys/wait.h>
#include <unistd.h>

#define CHILDREN 60u

static struct percpu_counter counter;

static void check_child(void)
{
	int64_t before = percpu_counter_sum(&counter);
	int64_t bound = percpu_counter_error_bound(&counter);
	int64_t off;

	for (unsigned i = 0; i < 2000; i++)
		percpu_counter_add_batch(&counter, 3, 4);
	CHECK_EQ(percpu_counter_sum(&counter), before + 6000);
	off = percpu_counter_read(&counter) - before - 6000;
	CHECK(off <= bound && -off <= bound);
	CHECK_EQ(percpu_counter_exchange(&counter, 1), before + 6000);
	CHECK_EQ(percpu_counter_sum(&counter), 1);
}

static void fork_once(void)
{
	int status;
	pid_t pid = fork();

	CHECK(pid >= 0);
	if (pid == 0) {
		check_child();
		_exit(TEST_PASS);
	}
	CHECK(waitpid(pid, &status, 0) == pid && status == 0);
}

/* The first of the crowd forks, the others add. */
static void step(struct crowd_member *me)
{
	percpu_counter_add_batch(&counter, 1, 4);
	me->added++;
	if (me->steps % 64 == 0)
		percpu_counter_sync(&counter);
	if (me->random == 1 && me->steps % 200 == 0 &&
	    me->steps < 200 * CHILDREN)
		fork_once();
}

int main(void)
{
	static struct crowd c = { .step = step, .steps = 100000 };

	CHECK(percpu_counter_init(&counter, 0) == 0);
	crowd_run(&c);
	CHECK_EQ(percpu_counter_sum(&counter), crowd_added(&c));
	return TEST_PASS;
}
