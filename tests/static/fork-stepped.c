/* SPDX-License-Identifier: MIT */
/*
 * At each instruction of a variable's load and unload, a fork leaves a child
 * that has all variables, this one's namesake too, and unloads them: the thread
 * that was at it did not come along.
 */
#include <percpu/percpu.h>

#include "../alloc/stepped.h"

#include <sys/wait.h>
#include <unistd.h>

enum { NAMESAKE = 1, APART = 2 };

static void *handle[2];
static uint64_t image = 7;

#define VARIABLE(h)                                                            \
	{                                                                      \
		&(h), &image, sizeof(image), sizeof(image), sizeof(image),     \
			"variable", NULL, 0, 0, 0                              \
	}

static struct percpu__static variable[] = { VARIABLE(handle[0]),
					    VARIABLE(handle[0]),
					    VARIABLE(handle[1]) };
static bool loading;
static unsigned forks;

static void check(unsigned i)
{
	uint64_t PERCPU *h =
		(uint64_t PERCPU *)percpu__statics_late(&variable[i]);

	CHECK(h != NULL);
	CHECK_EQ(*percpu_ptr(h, 0), image);
}

static void in_child(void)
{
	alarm(20);
	if (loading)
		check(0);
	check(NAMESAKE);
	check(APART);
	for (unsigned i = loading ? 0 : 1; i <= APART; i++)
		percpu__statics_unload(&variable[i]);
	_exit(TEST_PASS);
}

static bool stepped_do(void)
{
	int status;
	pid_t pid = fork();

	CHECK(pid >= 0);
	if (pid == 0)
		in_child();
	CHECK(waitpid(pid, &status, 0) == pid);
	CHECK_EQ(status, 0);
	forks++;
	return true;
}

static void step(void (*call)(struct percpu__static *), bool load)
{
	loading = load;
	stepped_start();
	call(&variable[0]);
	stepped_stop();
}

int main(int argc, char **argv)
{
	stepped_every = argc > 1 ? (unsigned)atoi(argv[1]) : 1;
	stepped_prepare();
	/* Alone, and where its namesake is there already. */
	for (unsigned first = APART; first >= NAMESAKE; first--) {
		for (unsigned i = first; i <= APART; i++)
			percpu__statics_load(&variable[i]);
		step(percpu__statics_load, true);
		percpu__statics_load(&variable[NAMESAKE]);
		step(percpu__statics_unload, false);
		for (unsigned i = NAMESAKE; i <= APART; i++)
			percpu__statics_unload(&variable[i]);
		for (unsigned i = 0; i <= APART; i++) {
			*(void **)variable[i].handle = NULL;
			variable[i].settled = 0;
			variable[i].listed = 0;
		}
	}
	CHECK(forks > 50);
	return TEST_PASS;
}
