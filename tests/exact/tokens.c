/* SPDX-License-Identifier: MIT */
/*
 * tokens.c: what goes into slots comes out of them once. Threads that move
 * from CPU to CPU, and signal handlers of theirs, exchange tokens through one
 * object: at the end each token is with one thread, or in one slot.
 *
 * usage: tokens xchg | cmpxchg | stack
 */
#include "check.h"
#include "disturb.h"

#include <percpu/percpu.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <time.h>

enum { THREADS = 8, HANDS = 2 * THREADS, CAPACITY = 3, FULL = 16 };

/* One for each thread, and one for its handler. */
struct hand {
	unsigned held;
	uint64_t token[FULL];
};

static struct hand hands[HANDS];
static uint64_t PERCPU *cell;
static struct percpu_stack PERCPU *stack;
static void (*turn)(struct hand *h);
static int rounds = 4000000;
static __thread struct hand *handlers;

static void turn_xchg(struct hand *h)
{
	h->token[0] = percpu_xchg(cell, h->token[0]);
}

/* By hand: whatever is there goes, and what is held comes. */
static void turn_cmpxchg(struct hand *h)
{
	uint64_t there = percpu_read(cell);

	while (!percpu_try_cmpxchg(cell, &there, h->token[0]))
		;
	h->token[0] = there;
}

/* Two off this CPU's stack, and two on whichever stack it is then. */
static void turn_stack(struct hand *h)
{
	for (int i = 0; i < 2; i++)
		if (h->held < FULL &&
		    percpu_pop(stack, &h->token[h->held]) == 0)
			h->held++;
	for (int i = 0; i < 2; i++)
		if (h->held > 0 &&
		    percpu_push(stack, CAPACITY, h->token[h->held - 1]) == 0)
			h->held--;
}

static void on_signal(int sig)
{
	(void)sig;
	if (handlers != NULL)
		turn(handlers);
}

static void *work(void *arg)
{
	struct hand *mine = arg;
	timer_t timer;

	handlers = mine + THREADS;
	timer = disturb_by_signals();
	for (int i = 0; i < rounds; i++) {
		turn(mine);
		if (i % 64 == 0)
			disturb_by_move((unsigned)i / 64 +
					(unsigned)(mine - hands));
	}
	CHECK(timer_delete(timer) == 0);
	return NULL;
}

static void seen(uint8_t *count, uint64_t token)
{
	CHECK(token <= HANDS);
	count[token]++;
}

static void collect_stack(uint8_t *count)
{
	struct percpu_stack *s;

	percpu_for_each_slot (s, stack) {
		CHECK(s->count <= CAPACITY);
		for (uint64_t i = 0; i < s->count; i++)
			seen(count, s->item[i]);
	}
	CHECK_EQ(percpu_shared_ptr(stack)->count, 0);
}

static void check_tokens(void)
{
	uint8_t count[HANDS + 1] = { 0 };
	uint64_t *c;

	percpu_for_each_slot (c, cell)
		seen(count, *c);
	collect_stack(count);
	for (unsigned i = 0; i < HANDS; i++)
		for (unsigned n = 0; n < hands[i].held; n++)
			seen(count, hands[i].token[n]);
	for (unsigned i = 1; i <= HANDS; i++)
		if (count[i] != 1)
			FAIL("token %u is there %u times", i, count[i]);
}

static void run_threads(void)
{
	pthread_t threads[THREADS];

	for (unsigned i = 0; i < THREADS; i++)
		CHECK(pthread_create(&threads[i], NULL, work, &hands[i]) == 0);
	for (unsigned i = 0; i < THREADS; i++)
		CHECK(pthread_join(threads[i], NULL) == 0);
}

int main(int argc, char **argv)
{
	struct sigaction sa = { .sa_handler = on_signal };

	CHECK(argc == 2);
	turn = strcmp(argv[1], "xchg") == 0    ? turn_xchg :
	       strcmp(argv[1], "cmpxchg") == 0 ? turn_cmpxchg :
						 turn_stack;
	cell = percpu_new(uint64_t);
	stack = percpu_stack_new(CAPACITY);
	CHECK(cell != NULL && stack != NULL);
	CHECK(sigaction(SIGALRM, &sa, NULL) == 0);
	for (unsigned i = 0; i < HANDS; i++)
		hands[i] = (struct hand){ 1, { i + 1 } };
	run_threads();
	check_tokens();
	return TEST_PASS;
}
