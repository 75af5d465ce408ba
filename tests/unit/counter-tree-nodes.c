/* SPDX-License-Identifier: MIT */
/*
 * Blocks of nodes are zero, apart, and used again, with threads and handlers
 * that take and give them; where memory is short there is none, and later there is.
 */
#include "check.h"
#include "counter_tree_nodes.h"
#include "os.h"

#include <pthread.h>
#include <signal.h>
#include <string.h>

enum {
	WIDTH = 5,
	BLOCKS = 3000,
	THREADS = 4,
	ROUNDS = 20000,
	HELD = 8,
	SIGNALS = 30000
};

static bool sent;
static bool is_short;
static unsigned mapped;

__typeof__(percpu__os_reserve) __wrap_percpu__os_reserve;
__typeof__(percpu__os_reserve) __real_percpu__os_reserve;
__typeof__(percpu__os_release) __wrap_percpu__os_release;
__typeof__(percpu__os_release) __real_percpu__os_release;
__typeof__(percpu__os_commit) __wrap_percpu__os_commit;
__typeof__(percpu__os_commit) __real_percpu__os_commit;

void *__wrap_percpu__os_reserve(size_t len)
{
	__atomic_fetch_add(&mapped, 1, __ATOMIC_RELAXED);
	return __real_percpu__os_reserve(len);
}

void __wrap_percpu__os_release(void *p, size_t len)
{
	__atomic_fetch_sub(&mapped, 1, __ATOMIC_RELAXED);
	__real_percpu__os_release(p, len);
}

int __wrap_percpu__os_commit(void *p, size_t len)
{
	return is_short ? -1 : __real_percpu__os_commit(p, len);
}

static struct percpu__tree_node *get(uint64_t mark)
{
	struct percpu__tree_node *b = percpu__counter_tree_nodes_get(WIDTH);

	CHECK(b != NULL);
	for (unsigned i = 0; i < WIDTH; i++) {
		CHECK_EQ((uintptr_t)&b[i] % PERCPU_LINE, 0);
		CHECK_EQ(b[i].value, 0);
		b[i].value = mark + i;
	}
	return b;
}

static void put(struct percpu__tree_node *b, uint64_t mark)
{
	for (unsigned i = 0; i < WIDTH; i++)
		CHECK_EQ(b[i].value, mark + i);
	percpu__counter_tree_nodes_put(b);
}

static void check_short(void)
{
	is_short = true;
	CHECK(percpu__counter_tree_nodes_get(WIDTH) == NULL);
	CHECK_EQ(mapped, 0);
	is_short = false;
}

/* As many as need several arenas; the second time they are the same. */
static void check_many(void)
{
	static struct percpu__tree_node *block[BLOCKS];
	unsigned maps = 0;

	for (unsigned round = 0; round < 2; round++) {
		for (unsigned i = 0; i < BLOCKS; i++)
			block[i] = get(i * 10 + round);
		for (unsigned i = 0; i < BLOCKS; i++)
			put(block[i], i * 10 + round);
		CHECK(round == 0 || mapped == maps);
		maps = mapped;
	}
	CHECK(maps > 2 && maps < 10);
}

static void *work(void *arg)
{
	struct percpu__tree_node *held[HELD] = { NULL };
	uint64_t mark = (uint64_t)(uintptr_t)arg * 1000000;

	for (unsigned i = 0; i < ROUNDS; i++) {
		unsigned k = i * 7 % HELD;

		if (held[k] != NULL)
			put(held[k], mark + k * 10);
		held[k] = get(mark + k * 10);
	}
	for (unsigned k = 0; k < HELD; k++)
		put(held[k], mark + k * 10);
	return NULL;
}

/*
 * In the middle of anything: take two, give the first back. Whoever was about to
 * take the first, and saw the second behind it, must not make that the first.
 */
static void interrupt(int number)
{
	static struct percpu__tree_node *held;
	struct percpu__tree_node *first = get(3);
	struct percpu__tree_node *second = get(7);

	(void)number;
	if (held != NULL)
		put(held, 7);
	held = second;
	put(first, 3);
}

static void *send_signals(void *to)
{
	for (unsigned i = 0; i < SIGNALS; i++)
		pthread_kill(*(pthread_t *)to, SIGUSR1);
	__atomic_store_n(&sent, true, __ATOMIC_RELAXED);
	return NULL;
}

static void check_interrupted(void)
{
	pthread_t me = pthread_self();
	pthread_t sender;

	signal(SIGUSR1, interrupt);
	CHECK(pthread_create(&sender, NULL, send_signals, &me) == 0);
	while (!__atomic_load_n(&sent, __ATOMIC_RELAXED)) {
		struct percpu__tree_node *one = get(11);
		struct percpu__tree_node *two = get(22);

		put(one, 11);
		put(two, 22);
	}
	pthread_join(sender, NULL);
}

int main(void)
{
	pthread_t thread[THREADS];

	check_short();
	check_interrupted();
	for (uintptr_t i = 0; i < THREADS; i++)
		CHECK(pthread_create(&thread[i], NULL, work, (void *)i) == 0);
	for (unsigned i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	check_many();
	return TEST_PASS;
}
