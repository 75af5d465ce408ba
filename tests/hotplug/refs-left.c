/* SPDX-License-Identifier: MIT */
/*
 * A child of fork gives pages back though references were on the stack of a
 * thread that did not come along, and the child has unmapped that: it looks at
 * none that it has not made itself. What it has from its parent counts on, and
 * its own let pages go.
 */
#include "cpus.h"
#include "memory.h"
#include "own_stack.h"

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SECONDS = 60, ON_STACK = 4000, REFS = 30000 };

static struct percpu_ref kept[ON_STACK];
static struct percpu_ref own[REFS];
static unsigned released;
static unsigned left; /* the CPU */
static pthread_barrier_t ready;

static void release(struct percpu_ref *r)
{
	(void)r;
	released++;
}

/* With two references each, the second on the CPU at hand. */
static void make(struct percpu_ref *r, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		CHECK(percpu_ref_init(&r[i], release, 0) == 0);
		percpu_ref_get(&r[i]);
	}
}

static void *live(void *arg)
{
	struct percpu_ref on_stack[ON_STACK];

	(void)arg;
	go_to(left);
	make(on_stack, ON_STACK);
	go_to(allowed_cpu(0));
	pthread_barrier_wait(&ready);
	pthread_barrier_wait(&ready);
	for (unsigned i = 0; i < ON_STACK; i++) {
		percpu_ref_put(&on_stack[i]);
		percpu_ref_kill(&on_stack[i]);
		CHECK(percpu_ref_exit(&on_stack[i]) == 0);
	}
	return NULL;
}

static void end(struct percpu_ref *r, unsigned n)
{
	released = 0;
	for (unsigned i = 0; i < n; i++) {
		CHECK_EQ(percpu_ref_val(&r[i]), 2);
		percpu_ref_kill(&r[i]);
		percpu_ref_put(&r[i]);
		CHECK_EQ(released, i + 1);
		CHECK(percpu_ref_exit(&r[i]) == 0);
	}
}

static bool can(void)
{
	return MEMORY_IS_OURS && percpu_backend(NULL) == PERCPU_MODE_RSEQ &&
	       percpu_fence() == 0;
}

static void child(void)
{
	size_t had;

	alarm(SECONDS);
	own_stack_unmap();
	CHECK(percpu_cpus_refresh() == 0);
	go_to(left);
	CHECK(percpu_cpus_refresh() == 0);
	make(own, REFS);
	had = percpu_alloc_populated(left);
	go_to(allowed_cpu(0));
	CHECK(percpu_cpus_refresh() == 0);
	CHECK(percpu_alloc_populated(left) <= had / 2 || !can());
	end(own, REFS);
	end(kept, ON_STACK);
	_exit(TEST_PASS);
}

int main(void)
{
	pthread_t thread;
	int status;
	pid_t pid;

	left = allowed_cpu(1);
	CHECK(pthread_barrier_init(&ready, NULL, 2) == 0);
	go_to(left);
	make(kept, ON_STACK);
	go_to(allowed_cpu(0));
	thread = own_stack_start(live);
	pthread_barrier_wait(&ready);
	pid = fork();
	CHECK(pid >= 0);
	if (pid == 0)
		child();
	CHECK(waitpid(pid, &status, 0) == pid);
	CHECK(WIFEXITED(status) && WEXITSTATUS(status) == TEST_PASS);
	pthread_barrier_wait(&ready);
	CHECK(pthread_join(thread, NULL) == 0);
	end(kept, ON_STACK);
	return TEST_PASS;
}
