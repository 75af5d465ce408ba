/* SPDX-License-Identifier: MIT */
/*
 * A thread that is cancelled ends in none of the library's functions, where it
 * would leave locks and shut caches behind.
 */
#include "cpus.h"

#include <errno.h>
#include <pthread.h>

static struct percpu_cache *c;

/* Each of these asks the system for something that a thread may end in. */
static void refresh(void)
{
	CHECK(percpu_cpus_refresh() == 0);
}

static void trim(void)
{
	percpu_trim();
}

static void trim_cache(void)
{
	percpu_cache_trim(c);
}

static void ask(void)
{
	CHECK(percpu_cpu_online(allowed_cpu(0)));
	CHECK(percpu_line_size() > 0);
}

static void call(void)
{
	int err = percpu_call(allowed_cpu(0), free, NULL);

	CHECK(err == 0 || err == -ESTALE);
}

static void (*const functions[])(void) = { refresh, trim, trim_cache, ask,
					   call };

enum { FUNCTIONS = sizeof(functions) / sizeof(functions[0]) };

static bool came_back[FUNCTIONS];

static void *run(void *arg)
{
	unsigned i = (unsigned)(uintptr_t)arg;
	int was;

	go_to(allowed_cpu(0));
	CHECK(pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &was) == 0);
	CHECK(pthread_cancel(pthread_self()) == 0);
	CHECK(pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &was) == 0);
	functions[i]();
	came_back[i] = true;
	CHECK(pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &was) == 0);
	return NULL;
}

int main(void)
{
	struct percpu_cache_attr attr = { 0 };
	uint64_t PERCPU *h;
	pthread_t thread;

	allowed_cpu(1);
	c = percpu_cache_create(&attr);
	CHECK(c != NULL);
	for (uintptr_t i = 0; i < FUNCTIONS; i++) {
		go_to(allowed_cpu(1));
		CHECK(percpu_cache_put(c, i) == 0);
		h = percpu_new(uint64_t);
		CHECK(h != NULL);
		percpu_free(h);
		CHECK(pthread_create(&thread, NULL, run, (void *)i) == 0);
		CHECK(pthread_join(thread, NULL) == 0);
		if (!came_back[i])
			FAIL("function %zu was left in the middle", (size_t)i);
	}
	percpu_cache_destroy(c);
	return TEST_PASS;
}
