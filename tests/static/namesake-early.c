/* SPDX-License-Identifier: MIT */
/*
 * An object that is loaded while a thread's early percpu_var() makes a variable
 * of the same name, but of another size, is refused: whoever comes second sees
 * the first, though neither has an object yet.
 */
#include "check.h"

#include <percpu/percpu.h>

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static void *handle;
static uint64_t image;

#define VARIABLE(size)                                                         \
	{                                                                      \
		&handle, &image, 0, size, 8, "variable", NULL, 0, 0, 0         \
	}

static struct percpu__static early = VARIABLE(8);
static struct percpu__static wider = VARIABLE(16);
static bool met;

void PERCPU *__real_percpu_alloc(size_t size, size_t align);
void PERCPU *__wrap_percpu_alloc(size_t size, size_t align);

/* The other comes when the one has looked, and before it has its object. */
void PERCPU *__wrap_percpu_alloc(size_t size, size_t align)
{
	if (!met) {
		met = true;
		percpu__statics_load(&wider);
	}
	return __real_percpu_alloc(size, align);
}

int main(void)
{
	int status;
	pid_t pid = fork();

	CHECK(pid >= 0);
	if (pid == 0) {
		percpu__statics_late(&early);
		_exit(TEST_FAIL);
	}
	CHECK(waitpid(pid, &status, 0) == pid);
	CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
	return TEST_PASS;
}
