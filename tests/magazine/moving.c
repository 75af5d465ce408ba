/* SPDX-License-Identifier: MIT */
/*
 * An item that goes to a magazine which a get has looked at, while it looks at
 * the next: one is cached all the time, so the get gets one.
 *
 * The next magazine's page is not to be read. When the get does that all the
 * same, another thread makes the move, and the getter is taken to a CPU that
 * has no item.
 */
#include "backing.h"
#include "cpus.h"

#include <percpu/stack.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

enum { IDLE, ASKED, STOP };

static struct percpu_cache *c;
static int move;
static unsigned first, second;
static char *page;
static size_t page_size;

/* Without the depot's lock, which the getter has. */
static bool put_fast(uint64_t item)
{
	uint64_t top;
	uint64_t n;

	return percpu__try_gated_push(c->magazines, &c->capacity, item, &n,
				      &top) &&
	       n < top;
}

static bool get_fast(uint64_t *item)
{
	uint64_t bottom;
	uint64_t top;
	uint64_t n;

	if (!percpu__try_gated_pop(c->magazines, &c->floor, &top, &n,
				   &bottom) ||
	    n <= bottom)
		return false;
	*item = top;
	return true;
}

static void *mover(void *arg)
{
	uint64_t item = 1;
	int asked;

	while ((asked = __atomic_load_n(&move, __ATOMIC_ACQUIRE)) != STOP) {
		if (asked == IDLE) {
			sched_yield();
			continue;
		}
		go_to(first);
		if (put_fast(item)) {
			go_to(second);
			while (!get_fast(&item))
				sched_yield();
		}
		__atomic_store_n(&move, IDLE, __ATOMIC_RELEASE);
	}
	return arg;
}

static void on_fault(int signal)
{
	(void)signal;
	CHECK(mprotect(page, page_size, PROT_READ | PROT_WRITE) == 0);
	__atomic_store_n(&move, ASKED, __ATOMIC_RELEASE);
	while (__atomic_load_n(&move, __ATOMIC_ACQUIRE) == ASKED)
		sched_yield();
	go_to(second);
}

static void *of(unsigned cpu)
{
	return percpu_ptr((struct percpu_stack PERCPU *)c->magazines, cpu);
}

static void check(struct backing *none, bool limited)
{
	struct percpu_cache_attr attr = { .arg = none };
	pthread_t thread;
	uint64_t item;

	attr.alloc = none != NULL ? backing_alloc : NULL;
	c = percpu_cache_create(&attr);
	CHECK(c != NULL);
	if (!has_magazines(c))
		SKIP("there are no magazines here");
	page = (char *)((uintptr_t)of(second) & ~(page_size - 1));
	if ((char *)of(first) >= page && (char *)of(first) < page + page_size)
		SKIP("two magazines share a page");
	go_to(second);
	CHECK(percpu_cache_put(c, 0) == 0);
	go_to(first);
	__atomic_store_n(&move, IDLE, __ATOMIC_RELEASE);
	CHECK(pthread_create(&thread, NULL, mover, NULL) == 0);
	CHECK(mprotect(page, page_size, PROT_NONE) == 0);
	if (limited)
		CHECK(percpu_cache_get_limit(c, 1, &item) == 0);
	else
		CHECK(percpu_cache_get(c, &item) == 0);
	CHECK(item <= 1);
	CHECK(mprotect(page, page_size, PROT_READ | PROT_WRITE) == 0);
	__atomic_store_n(&move, STOP, __ATOMIC_RELEASE);
	CHECK(pthread_join(thread, NULL) == 0);
	percpu_cache_destroy(c);
}

int main(void)
{
	struct sigaction action = { .sa_handler = on_fault };
	struct backing none = { .ids = 0 };
	struct percpu_options options = { .size = sizeof(options) };

	first = allowed_cpu(0);
	second = allowed_cpu(1);
	page_size = (size_t)sysconf(_SC_PAGESIZE);
	percpu_in_force(&options);
	if (options.index == PERCPU_INDEX_CID)
		SKIP("magazines are not of CPUs here");
	CHECK(sigaction(SIGSEGV, &action, NULL) == 0);
	for (unsigned i = 0; i < 4; i++)
		check(i & 1 ? &none : NULL, (i & 2) != 0);
	return TEST_PASS;
}
