/* SPDX-License-Identifier: MIT */
/*
 * A child of fork that begins when the quarantine's memory has just been given
 * back frees objects as any other.
 */
#include "check.h"

#include <percpu/percpu.h>
#include <stdbool.h>
#include <sys/wait.h>
#include <unistd.h>

static bool trims;
static bool failed; /* exit would wait for locks that are held then */
static unsigned forks;

static void use(void)
{
	uint64_t PERCPU *h = percpu_new(uint64_t);

	CHECK(h != NULL);
	percpu_free(h);
}

void __real_percpu__os_release(void *p, size_t len);
void __wrap_percpu__os_release(void *p, size_t len);
void __wrap_percpu__os_release(void *p, size_t len)
{
	int status;
	pid_t child;

	__real_percpu__os_release(p, len);
	if (!trims)
		return;
	child = fork();
	CHECK(child >= 0);
	if (child == 0) {
		trims = false;
		use();
		_exit(TEST_PASS);
	}
	CHECK(waitpid(child, &status, 0) == child);
	failed |= !WIFEXITED(status) || WEXITSTATUS(status) != TEST_PASS;
	forks++;
}

int main(void)
{
	use();
	trims = true;
	percpu_trim();
	trims = false;
	CHECK(forks > 0 && !failed);
	use();
	return TEST_PASS;
}
