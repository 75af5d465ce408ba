/* SPDX-License-Identifier: MIT */
/*
 * At each instruction of a change of the default batch a fork leaves a child
 * that changes it again, unless the program has set it: the thread that was at
 * it did not come along.
 */
#include <percpu/percpu.h>

#include "../alloc/stepped.h"
#include "counter.h"

#include <sys/wait.h>
#include <unistd.h>

static bool is_ours;
static unsigned forks;

static void follow(unsigned online)
{
	int32_t was = percpu_counter_batch;

	percpu__counter_init_follow(online);
	CHECK_EQ(percpu_counter_batch, is_ours ? 2 * (int32_t)online : was);
}

static bool stepped_do(void)
{
	int status;
	pid_t pid = fork();

	CHECK(pid >= 0);
	if (pid == 0) {
		follow(400);
		follow(500);
		_exit(TEST_PASS);
	}
	CHECK(waitpid(pid, &status, 0) == pid);
	CHECK_EQ(status, 0);
	forks++;
	return true;
}

static void step(unsigned online)
{
	stepped_start();
	percpu__counter_init_follow(online);
	stepped_stop();
}

int main(void)
{
	stepped_prepare();
	is_ours = true;
	follow(100);
	step(200);
	CHECK_EQ(percpu_counter_batch, 400);
	step(200);
	percpu_counter_batch = 7;
	is_ours = false;
	step(300);
	CHECK_EQ(percpu_counter_batch, 7);
	CHECK(forks > 20);
	return TEST_PASS;
}
