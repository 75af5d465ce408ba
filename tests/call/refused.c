/* SPDX-License-Identifier: MIT */
/*
 * Where the system gives no memory, thread or key, a call says so, nothing has
 * run, and the next one works.
 */
#include "support.h"

enum { SECONDS = 60 };

int __real_pthread_create(pthread_t *t, const pthread_attr_t *a,
			  void *(*fn)(void *), void *arg);
int __wrap_pthread_create(pthread_t *t, const pthread_attr_t *a,
			  void *(*fn)(void *), void *arg);
int __real_pthread_key_create(pthread_key_t *key, void (*fn)(void *));
int __wrap_pthread_key_create(pthread_key_t *key, void (*fn)(void *));
int __real_pthread_setspecific(pthread_key_t key, const void *value);
int __wrap_pthread_setspecific(pthread_key_t key, const void *value);
void *__real_percpu__os_reserve(size_t len);
void *__wrap_percpu__os_reserve(size_t len);
int __real_percpu__os_commit(void *p, size_t len);
int __wrap_percpu__os_commit(void *p, size_t len);
int __real_percpu__os_bind(int id, unsigned cpu);
int __wrap_percpu__os_bind(int id, unsigned cpu);

enum { THREAD = 1, KEY, VALUE, RESERVE, COMMIT, BIND };

static int refused;

int __wrap_pthread_create(pthread_t *t, const pthread_attr_t *a,
			  void *(*fn)(void *), void *arg)
{
	return refused == THREAD ? EAGAIN :
				   __real_pthread_create(t, a, fn, arg);
}

int __wrap_pthread_key_create(pthread_key_t *key, void (*fn)(void *))
{
	return refused == KEY ? EAGAIN : __real_pthread_key_create(key, fn);
}

int __wrap_pthread_setspecific(pthread_key_t key, const void *value)
{
	return refused == VALUE ? ENOMEM :
				  __real_pthread_setspecific(key, value);
}

void *__wrap_percpu__os_reserve(size_t len)
{
	return refused == RESERVE ? NULL : __real_percpu__os_reserve(len);
}

int __wrap_percpu__os_commit(void *p, size_t len)
{
	return refused == COMMIT ? -ENOMEM : __real_percpu__os_commit(p, len);
}

int __wrap_percpu__os_bind(int id, unsigned cpu)
{
	return refused == BIND ? -EPERM : __real_percpu__os_bind(id, cpu);
}

static void check(int what, unsigned cpu, int err)
{
	struct percpu_csd csd;
	uint64_t n = 0;

	percpu_csd_init(&csd, count_one, &n);
	refused = what;
	CHECK(percpu_call(cpu, count_one, &n) == err);
	CHECK(percpu_call_async(cpu, &csd) == err);
	CHECK(percpu_call_async(cpu, &csd) == err);
	/* -ENOMEM is for want of csds. */
	if (err == -ENOMEM)
		err = -EAGAIN;
	CHECK(percpu_call_each(NULL, count_one, &n, 0) == err);
	CHECK_EQ(n, 0);
	refused = 0;
}

int main(void)
{
	unsigned cpu = (unsigned)sched_getcpu();
	uint64_t n = 0;

	alarm(SECONDS);
	check(KEY, cpu, -EAGAIN);
	check(RESERVE, cpu, -ENOMEM);
	check(COMMIT, cpu, -ENOMEM);
	check(THREAD, cpu, -EAGAIN);
	check(VALUE, cpu, -ENOMEM);
	check(BIND, cpu, -EPERM);
	find_cpus();
	CHECK(percpu_call(cpu_at(0), count_one, &n) == 0);
	CHECK_EQ(n, 1);
	for (refused = RESERVE; refused <= COMMIT; refused++)
		CHECK(percpu_call_each(NULL, count_one, &n,
				       PERCPU_CALL_NOWAIT) == -ENOMEM);
	refused = 0;
	CHECK_EQ(n, 1);
	CHECK(percpu_call_each(NULL, count_one, &n, PERCPU_CALL_NOWAIT) == 0);
	CHECK(percpu_call_stop() == 0);
	CHECK_EQ(n, 1 + nr_cpus);
	return TEST_PASS;
}
