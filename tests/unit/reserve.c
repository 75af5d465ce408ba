/* SPDX-License-Identifier: MIT */
/*
 * reserve.c: every handle of a reserve has one owner, whatever threads and
 * signal handlers take, put, fill and empty at once; an empty reserve gives
 * NULL, a full one takes nothing, and errno stays as it was.
 */
#include "reserve.h"

#include "check.h"

#include <errno.h>
#include <percpu/alloc.h>
#include <pthread.h>
#include <signal.h>

#define HANDLES 4096u
#define ROUNDS 20000u

static struct percpu__reserve reserve = { .size = 16, .align = 8 };

/* Stands for memory; how many may still be allocated. */
static char memory[HANDLES];
static unsigned allocated;
static unsigned most = HANDLES;
static char owned[HANDLES]; /* 1: by a thread, or free */

void PERCPU *percpu_alloc(size_t size, size_t align)
{
	unsigned i = __atomic_fetch_add(&allocated, 1, __ATOMIC_RELAXED);

	CHECK_EQ(size, 16);
	CHECK_EQ(align, 8);
	if (i >= most) {
		__atomic_fetch_sub(&allocated, 1, __ATOMIC_RELAXED);
		errno = ENOMEM;
		return NULL;
	}
	return &memory[i];
}

void percpu_free(void PERCPU *h)
{
	CHECK((char *)h >= memory && (char *)h < memory + HANDLES);
	CHECK_EQ(__atomic_fetch_add(&owned[(char *)h - memory], 1,
				    __ATOMIC_RELAXED),
		 0);
}

/* Take one, own it for a moment, put it back. */
static void borrow(void)
{
	char *h = (char *)percpu__reserve_take(&reserve);
	char *owner;

	if (h == NULL)
		return;
	owner = &owned[h - memory];
	CHECK_EQ(__atomic_fetch_add(owner, 1, __ATOMIC_RELAXED), 0);
	CHECK_EQ(__atomic_fetch_sub(owner, 1, __ATOMIC_RELAXED), 1);
	if (!percpu__reserve_put(&reserve, h))
		percpu_free(h);
}

static void on_signal(int sig)
{
	(void)sig;
	borrow();
}

static void *borrows(void *arg)
{
	for (unsigned i = 0; i < ROUNDS; i++) {
		borrow();
		if (i % 16 == 0)
			raise(SIGUSR1);
	}
	return arg;
}

/* Free all; the count. */
static size_t drain(void)
{
	void PERCPU *h;
	size_t n = 0;

	while ((h = percpu__reserve_take(&reserve)) != NULL) {
		percpu_free(h);
		n++;
	}
	return n;
}

static size_t count(void)
{
	size_t n = 0;

	for (size_t i = 0; i < PERCPU__RESERVE; i++)
		n += reserve.handle[i] != NULL;
	return n;
}

static void empty_and_full(void)
{
	void PERCPU *h = &memory[HANDLES - 1];

	CHECK(percpu__reserve_take(&reserve) == NULL);
	errno = EXDEV;
	most = 10;
	percpu__reserve_fill(&reserve);
	CHECK_EQ(count(), 10);
	CHECK_EQ(errno, EXDEV);
	most = HANDLES;
	percpu__reserve_fill(&reserve);
	CHECK_EQ(count(), PERCPU__RESERVE);
	CHECK(!percpu__reserve_put(&reserve, h));
	percpu__reserve_fill(&reserve);
	CHECK_EQ(allocated, PERCPU__RESERVE);
}

static void all_at_once(void)
{
	pthread_t thread[3];

	CHECK(signal(SIGUSR1, on_signal) != SIG_ERR);
	for (int i = 0; i < 3; i++)
		CHECK(pthread_create(&thread[i], NULL, borrows, NULL) == 0);
	while (allocated + PERCPU__RESERVE < HANDLES / 4) {
		drain();
		percpu__reserve_fill(&reserve);
	}
	for (int i = 0; i < 3; i++)
		CHECK(pthread_join(thread[i], NULL) == 0);
}

/* What was allocated and is not free is in the reserve. */
static void nothing_is_lost(void)
{
	unsigned freed = 0;

	for (unsigned i = 0; i < HANDLES; i++)
		freed += owned[i] == 1;
	CHECK_EQ(freed + count(), allocated);
	CHECK_EQ(drain() + freed, allocated);
	CHECK_EQ(count(), 0);
}

int main(void)
{
	empty_and_full();
	all_at_once();
	nothing_is_lost();
	return TEST_PASS;
}
