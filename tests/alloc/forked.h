/* SPDX-License-Identifier: MIT */
#ifndef TESTS_ALLOC_FORKED_H
#define TESTS_ALLOC_FORKED_H
/*
 * forked.h: a child of fork that goes on where a signal handler of its parent
 * interrupted something. The handler calls forked_here(), which returns in the
 * child at once and in the parent when the child has ended; the child calls
 * forked_use() once what was interrupted is over, and _exit(TEST_PASS).
 */
#include "model.h"
#include "random.h"
#include "slots.h"

#include <sys/wait.h>
#include <unistd.h>

enum { FORKED_SECONDS = 20, FORKED_KEPT = 16, FORKED_NEW = 24 };

static bool forked;			       /* in the child */
static struct object forked_kept[FORKED_KEPT]; /* by parent and child */

/* Objects that every child must find whole. */
static inline void forked_keep(void)
{
	for (unsigned i = 0; i < FORKED_KEPT; i++) {
		size_t size = 4 + i % 8 * (i % 3 ? 12 : 300);

		model_enter(&forked_kept[i], must_alloc(size, 4), size, 4);
		model_write(&forked_kept[i], i + 1);
	}
}

static inline void forked_check(void)
{
	for (unsigned i = 0; i < FORKED_KEPT; i++)
		model_check(&forked_kept[i]);
}

/* True in the child. */
static inline bool forked_here(void)
{
	int status;
	pid_t child = fork();

	if (child == 0) {
		alarm(FORKED_SECONDS); /* ends a child that hangs */
		forked = true;
		return true;
	}
	CHECK(child > 0 && waitpid(child, &status, 0) == child);
	if (!WIFEXITED(status) || WEXITSTATUS(status) != TEST_PASS)
		FAIL("a child's status is %#x", status);
	return false;
}

/*
 * The child allocates and frees; what it finds and gets is sound. What was kept
 * is gone then.
 */
static inline void forked_use(void)
{
	static struct object o[FORKED_NEW];

	forked_check();
	for (unsigned i = 0; i < FORKED_NEW; i++) {
		size_t size = i % 8 == 7 ? 3000 : 4 + i % 7 * 8;

		model_enter(&o[i], must_alloc(size, 4), size, 4);
		model_write(&o[i], i + 1000);
	}
	forked_check();
	for (unsigned i = 0; i < FORKED_NEW; i++) {
		model_leave(&o[i]);
		percpu_free(o[i].h);
	}
	for (unsigned i = 0; i < FORKED_KEPT; i++) {
		model_leave(&forked_kept[i]);
		percpu_free(forked_kept[i].h);
	}
}

#endif
