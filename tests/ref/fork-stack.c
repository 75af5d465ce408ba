/* SPDX-License-Identifier: MIT */
/*
 * fork-stack.c: adaptive references were on the stack of a thread that did not
 * come along to a child of fork, and the child has unmapped that: it looks at
 * none of them. What else it has from its parent goes on, whatever a thread was
 * doing to it, and what it makes itself is promoted and demoted.
 */
#include "own_stack.h"
#include "support.h"

#include <sys/wait.h>

enum { REFS = 8 };

static struct percpu_ref kept[REFS], idle[REFS];
static unsigned released;
static pthread_barrier_t ready;

static void release(struct percpu_ref *r)
{
	(void)r;
	released++;
}

static void make_hot(struct percpu_ref *r)
{
	for (unsigned i = 0; i < REFS; i++) {
		CHECK_EQ(percpu_ref_init(&r[i], release, PERCPU_REF_ADAPTIVE),
			 0);
		percpu_ref_get(&r[i]);
		ref_promote(&r[i]);
		percpu_ref_get(&r[i]);
		CHECK(ref_is_percpu(&r[i]));
	}
}

static void end(struct percpu_ref *r)
{
	released = 0;
	for (unsigned i = 0; i < REFS; i++) {
		CHECK_EQ(percpu_ref_val(&r[i]), 3);
		percpu_ref_put_many(&r[i], 2);
		percpu_ref_kill(&r[i]);
		CHECK_EQ(released, i + 1);
		CHECK_EQ(percpu_ref_exit(&r[i]), 0);
	}
}

static void *live(void *arg)
{
	struct percpu_ref on_stack[REFS];

	make_hot(on_stack);
	pthread_barrier_wait(&ready);
	pthread_barrier_wait(&ready);
	end(on_stack);
	return arg;
}

/* As a look leaves it that has marked this for its fence. */
static void demoting(struct percpu_ref *r)
{
	uint64_t word = ref_word(r);

	CHECK(percpu__ref_change(r, &word,
				 percpu__ref_own(word | PERCPU__REF_ATOMIC |
						 PERCPU__REF_FOLDING |
						 PERCPU__REF_DEMOTER)));
}

static void looks(void)
{
	percpu_trim();
	percpu_trim();
}

static void child(void)
{
	static struct percpu_ref own[REFS];

	alarm(20);
	own_stack_unmap();
	looks();
	make_hot(own);
	looks();
	for (unsigned i = 0; i < REFS; i++) {
		CHECK(!ref_is_percpu(&own[i]));
		CHECK(ref_is_percpu(&idle[i]));
	}
	end(own);
	for (unsigned i = 0; i < REFS; i++)
		CHECK_EQ(percpu_ref_switch_to_atomic(&idle[i], NULL), 0);
	looks();
	end(idle);
	end(kept);
	looks();
	_exit(TEST_PASS);
}

int main(void)
{
	pthread_t thread;
	int status;
	pid_t pid;

	if (!ref_can())
		SKIP("nothing counts per CPU here");
	CHECK(pthread_barrier_init(&ready, NULL, 2) == 0);
	make_hot(kept);
	make_hot(idle);
	thread = own_stack_start(live);
	pthread_barrier_wait(&ready);
	for (unsigned i = 0; i < REFS; i++)
		demoting(&kept[i]);
	pid = fork();
	CHECK(pid >= 0);
	if (pid == 0)
		child();
	CHECK(waitpid(pid, &status, 0) == pid);
	CHECK_EQ(status, 0);
	pthread_barrier_wait(&ready);
	CHECK(pthread_join(thread, NULL) == 0);
	looks();
	end(kept);
	end(idle);
	return TEST_PASS;
}
