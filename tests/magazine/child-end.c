/* SPDX-License-Identifier: MIT */
/*
 * A child of fork that ends a cache hands each item to the backing, those too
 * that the backing puts there meanwhile.
 */
#include "cpus.h"

#include <sys/wait.h>
#include <unistd.h>

enum { ITEMS = 40, LATE = 10 };

static struct percpu_cache *c;
static unsigned late;
static unsigned freed;

static void give(void *arg, uint64_t item)
{
	(void)arg;
	(void)item;
	freed++;
	if (late < LATE && percpu_cache_put(c, ITEMS + late) == 0)
		late++;
}

static void child(void)
{
	go_to(allowed_cpu(0));
	percpu_cache_destroy(c);
	CHECK_EQ(late, LATE);
	CHECK_EQ(freed, ITEMS + LATE);
	_exit(TEST_PASS);
}

int main(void)
{
	struct percpu_cache_attr attr = { .free = give };
	int status;
	pid_t pid;

	go_to(allowed_cpu(1));
	c = percpu_cache_create(&attr);
	CHECK(c != NULL);
	for (uint64_t i = 0; i < ITEMS; i++)
		CHECK(percpu_cache_put(c, i) == 0);
	pid = fork();
	CHECK(pid >= 0);
	if (pid == 0)
		child();
	CHECK(waitpid(pid, &status, 0) == pid);
	CHECK(WIFEXITED(status) && WEXITSTATUS(status) == TEST_PASS);
	percpu_cache_destroy(c);
	CHECK_EQ(freed, ITEMS + LATE);
	return TEST_PASS;
}
