/* SPDX-License-Identifier: MIT */
/*
 * Freeing twice, inside an object, or what is no handle: a message that names
 * the pointer and the mistake, then abort; with PERCPU_MISUSE=warn the message,
 * and nothing is freed. Each case is a process.
 */
#include "slots.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static char message[1024];

/* Free @h in a process of its own; its end is the answer. */
static int free_apart(void *h)
{
	int fd[2];
	int status;
	size_t len = 0;
	ssize_t n;
	pid_t child;

	CHECK(pipe(fd) == 0);
	child = fork();
	if (child == 0) {
		dup2(fd[1], STDERR_FILENO);
		percpu_free(h);
		_exit(TEST_PASS);
	}
	close(fd[1]);
	while ((n = read(fd[0], message + len, sizeof(message) - 1 - len)) > 0)
		len += (size_t)n;
	message[len] = '\0';
	close(fd[0]);
	CHECK(waitpid(child, &status, 0) == child);
	return status;
}

static void check_message(const void *h, const char *what)
{
	char name[32];

	snprintf(name, sizeof(name), "(%p)", h);
	if (strstr(message, name) == NULL || strstr(message, what) == NULL)
		FAIL("'%s' does not name %s and '%s'", message, name, what);
}

static void wrong(void *h, const char *what)
{
	int status;

	unsetenv("PERCPU_MISUSE");
	status = free_apart(h);
	CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
	check_message(h, what);
	setenv("PERCPU_MISUSE", "other", 1);
	status = free_apart(h);
	CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
	setenv("PERCPU_MISUSE", "warn", 1);
	status = free_apart(h);
	CHECK(WIFEXITED(status) && WEXITSTATUS(status) == TEST_PASS);
	check_message(h, what);
	check_message(h, "nothing freed");
}

static void check_wrong(char PERCPU *h, char PERCPU *freed)
{
	char *heap = malloc(64);
	int stack;

	wrong(freed, "was freed already");
	wrong(h + 1, "points into an object");
	wrong(h + 4, "points into an object");
	wrong(h + 15, "points into an object");
	wrong(percpu_ptr(h, 0), "is no handle");
	wrong(percpu_shared_ptr(h), "is no handle");
	wrong(heap, "is no handle");
	wrong(&stack, "is no handle");
	wrong((void *)(uintptr_t)1, "is no handle");
	wrong((void *)UINTPTR_MAX, "is no handle");
	free(heap);
}

/* After warnings the object is still this one's, and given to nobody else. */
static void check_nothing_freed(char PERCPU *h)
{
	setenv("PERCPU_MISUSE", "warn", 1);
	fclose(stderr);
	close(STDERR_FILENO);
	fill(h, 16, 0x11);
	percpu_free(h + 4);
	percpu_free(h + 1);
	percpu_free(percpu_ptr(h, 0));
	for (unsigned i = 0; i < 1000; i++)
		fill(must_alloc(4, 4), 4, 0x22);
	if (!is_filled(h, 16, 0x11))
		exit(TEST_FAIL);
	percpu_free(h);
	percpu_free(h);
	if (must_alloc(16, 4) != h || must_alloc(16, 4) == h)
		exit(TEST_FAIL);
}

int main(void)
{
	char *heap = malloc(64);
	char PERCPU *h;
	char PERCPU *freed;

	wrong(heap, "is no handle"); /* before there is any */
	free(heap);
	h = must_alloc(16, 16);
	freed = must_alloc(16, 16);
	percpu_free(freed);
	check_wrong(h, freed);
	check_nothing_freed(h);
	return TEST_PASS;
}
