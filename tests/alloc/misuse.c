/* SPDX-License-Identifier: MIT */
/*
 * Freeing twice, inside an object, or what is no handle: a message that names
 * the pointer and the mistake, then abort; with PERCPU_MISUSE=warn the message,
 * and nothing is freed. Each case is a process.
 */
#include "apart.h"

static void wrong(void *h, const char *what)
{
	int status;

	check_bad_free(h, what);
	setenv("PERCPU_MISUSE", "other", 1);
	status = apart(apart_free, h);
	CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
	check_said(h, what);
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
	if (OBJECTS_ARE_PLAIN &&
	    (must_alloc(16, 4) != h || must_alloc(16, 4) == h))
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
