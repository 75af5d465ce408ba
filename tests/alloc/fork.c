/* SPDX-License-Identifier: MIT */
/*
 * Conformance 32: while four threads allocate and free, the process forks 500
 * times. Each child finds its objects whole, frees some, allocates, adds, sums
 * and trims, with threads and a child of its own now and then; the parent goes
 * on as if nothing had been.
 */
#include "books.h"
#include "model.h"
#include "random.h"
#include "slots.h"

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 4, FORKS = 500, OBJECTS = 60, CHILD_SECONDS = 30 };

static struct object objects[OBJECTS]; /* live where h is not NULL */
static uint64_t state = 3;
static uint64_t PERCPU *counter; /* only this thread's */
static int stop;

static size_t draw_size(uint64_t *random)
{
	return one_in(random, 20) ? 1 + pick(random, 20000) :
				    1 + pick(random, 200);
}

static void *work(void *arg)
{
	uint64_t random = mix((uintptr_t)arg);
	char PERCPU *h[32] = { 0 };

	while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
		unsigned i = pick(&random, 32);

		percpu_free(h[i]);
		h[i] = must_alloc(draw_size(&random), 8);
		CHECK(is_filled(h[i], 1, 0));
		fill(h[i], 1, 1);
	}
	for (unsigned i = 0; i < 32; i++)
		percpu_free(h[i]);
	return NULL;
}

static void renew(struct object *o)
{
	size_t size = draw_size(&state);

	if (o->h != NULL) {
		model_leave(o);
		percpu_free(o->h);
	}
	model_enter(o, must_alloc(size, 8), size, 8);
	model_write(o, draw(&state));
}

static void check_all(void)
{
	for (unsigned i = 0; i < OBJECTS; i++)
		model_check(&objects[i]);
}

static void free_all(void)
{
	for (unsigned i = 0; i < OBJECTS; i++) {
		model_leave(&objects[i]);
		percpu_free(objects[i].h);
		objects[i].h = NULL;
	}
}

static void use(void)
{
	uint64_t PERCPU *own = percpu_new(uint64_t);
	uint64_t then = percpu_sum(counter);

	CHECK(own != NULL);
	for (unsigned i = 0; i < 50; i++) {
		percpu_inc(counter);
		percpu_add(own, 3);
	}
	CHECK_EQ(percpu_sum(own), 150);
	CHECK_EQ(percpu_sum(counter), then + 50);
	percpu_free(own);
}

static void *work_in_child(void *arg)
{
	for (unsigned i = 0; i < 100; i++)
		percpu_free(must_alloc(8 + i, 8));
	return arg;
}

/*
 * Not under AddressSanitizer: its allocator's locks may be held in the child by
 * threads that are not there, and each new thread takes them.
 */
static void use_threads(void)
{
	pthread_t thread[2];

	if (!OBJECTS_ARE_PLAIN)
		return;
	for (unsigned i = 0; i < 2; i++)
		CHECK(pthread_create(&thread[i], NULL, work_in_child, NULL) ==
		      0);
	for (unsigned i = 0; i < 2; i++)
		CHECK(pthread_join(thread[i], NULL) == 0);
}

static void fork_once(unsigned depth);

static void be_child(unsigned depth)
{
	alarm(CHILD_SECONDS); /* ends a child that hangs */
	check_all();
	use();
	for (unsigned i = 0; i < OBJECTS; i++)
		renew(&objects[pick(&state, OBJECTS)]);
	check_all();
	if (depth == 1 && one_in(&state, 10)) {
		use_threads();
		fork_once(2);
	}
	books_trim();
	books_look();
	check_all();
	free_all();
	renew(&objects[0]);
	use();
	_exit(TEST_PASS);
}

static void fork_once(unsigned depth)
{
	pid_t child = fork();
	int status;

	CHECK(child >= 0);
	if (child == 0)
		be_child(depth);
	CHECK(waitpid(child, &status, 0) == child);
	if (WIFSIGNALED(status))
		FAIL("a child ended by signal %d", WTERMSIG(status));
	CHECK_EQ(WEXITSTATUS(status), TEST_PASS);
}

int main(void)
{
	pthread_t thread[THREADS];

	if (getenv("MESON_EXE_WRAPPER") != NULL)
		SKIP("QEMU 7.2 fails where a child of threads makes threads");
	counter = percpu_new(uint64_t);
	CHECK(counter != NULL);
	for (unsigned i = 0; i < OBJECTS; i++)
		renew(&objects[i]);
	for (unsigned i = 0; i < THREADS; i++)
		CHECK(pthread_create(&thread[i], NULL, work,
				     (void *)(uintptr_t)(i + 1)) == 0);
	for (unsigned i = 0; i < FORKS; i++) {
		renew(&objects[pick(&state, OBJECTS)]);
		fork_once(1);
	}
	__atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
	for (unsigned i = 0; i < THREADS; i++)
		CHECK(pthread_join(thread[i], NULL) == 0);
	check_all();
	free_all();
	CHECK_EQ(percpu_sum(counter), 0);
	percpu_free(counter);
	books_check_empty();
	return TEST_PASS;
}
