/* SPDX-License-Identifier: MIT */
/*
 * b23-lifetime.c: release runs within the put that brings a reference to zero,
 * in whatever thread, and the library does not touch the reference afterwards:
 * each lies on a page that release unmaps.
 */
#include "support.h"

#include <sys/mman.h>

#define ROUNDS 60u

static size_t page;
static unsigned flags;
static unsigned released;
static pthread_t where;

static struct percpu_ref *map(void)
{
	void *p = mmap(NULL, page, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	CHECK(p != MAP_FAILED);
	return p;
}

static void unmap(struct percpu_ref *r)
{
	CHECK_EQ(percpu_ref_exit(r), 0);
	CHECK(munmap(r, page) == 0);
	where = pthread_self();
	released++;
}

static void *last(void *arg)
{
	percpu_ref_put(arg);
	CHECK_EQ(released, 1);
	CHECK(pthread_equal(where, pthread_self()));
	return NULL;
}

/* @many: by kill_many; the put that is last comes from another thread. */
static void put_elsewhere(bool many)
{
	struct percpu_ref *r = map();
	pthread_t thread;

	released = 0;
	CHECK_EQ(percpu_ref_init(r, unmap, flags), 0);
	percpu_ref_get(r);
	if (many)
		percpu_ref_kill_many(&r, 1);
	else
		percpu_ref_kill(r);
	CHECK_EQ(released, 0);
	CHECK(pthread_create(&thread, NULL, last, r) == 0);
	CHECK(pthread_join(thread, NULL) == 0);
	CHECK_EQ(released, 1);
}

static void killed_last(bool many)
{
	struct percpu_ref *r = map();

	released = 0;
	CHECK_EQ(percpu_ref_init(r, unmap, flags), 0);
	percpu_ref_get(r);
	percpu_ref_put(r);
	if (many)
		percpu_ref_kill_many(&r, 1);
	else
		percpu_ref_kill(r);
	CHECK_EQ(released, 1);
}

static void *takes(void *arg)
{
	percpu_ref_get(arg);
	percpu_ref_put(arg);
	percpu_ref_put(arg);
	return NULL;
}

/* Who is last is not known: a kill, or another thread's put. */
static void race(void)
{
	struct percpu_ref *r = map();
	pthread_t thread;

	released = 0;
	CHECK_EQ(percpu_ref_init(r, unmap, flags), 0);
	percpu_ref_get(r);
	CHECK(pthread_create(&thread, NULL, takes, r) == 0);
	percpu_ref_kill(r);
	CHECK(pthread_join(thread, NULL) == 0);
	CHECK_EQ(released, 1);
}

int main(int argc, char **argv)
{
	flags = ref_flags(argc, argv);
	page = (size_t)sysconf(_SC_PAGESIZE);
	put_elsewhere(false);
	put_elsewhere(true);
	killed_last(false);
	killed_last(true);
	for (unsigned i = 0; i < ROUNDS; i++)
		race();
	return TEST_PASS;
}
