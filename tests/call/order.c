/* SPDX-License-Identifier: MIT */
/*
 * Conformance 82 and 83: calls of one thread to one CPU start in the order in
 * which they were made, of both kinds, however many send; none is lost or runs
 * twice.
 *
 * usage: order CALLS
 */
#include "support.h"

enum { SECONDS = 120, SENDERS = 3, RING = 64, SYNC = 97 };

struct item {
	struct percpu_csd csd;
	struct sender *sender;
	uint64_t number;
};

struct sender {
	struct item ring[RING];
	uint64_t ran;
	unsigned cpu;
};

static uint64_t calls;

static void run(void *arg)
{
	struct item *item = arg;

	CHECK_EQ(item->number, item->sender->ran);
	/* One CPU alone writes it. */
	__atomic_store_n(&item->sender->ran, item->number + 1,
			 __ATOMIC_RELEASE);
}

static void send(struct sender *s, uint64_t number)
{
	struct item *item = &s->ring[number % RING];
	struct item one = { .sender = s, .number = number };

	if (number % SYNC == 0) {
		CHECK(percpu_call(s->cpu, run, &one) == 0);
		CHECK_EQ(s->ran, number + 1);
		return;
	}
	/* Only when it has run may it be changed. */
	while (__atomic_load_n(&s->ran, __ATOMIC_ACQUIRE) + RING <= number)
		sched_yield();
	item->sender = s;
	item->number = number;
	percpu_csd_init(&item->csd, run, item);
	CHECK(percpu_call_async(s->cpu, &item->csd) == 0);
}

static void *send_all(void *arg)
{
	struct sender *s = arg;

	for (uint64_t i = 0; i < calls; i++)
		send(s, i);
	CHECK(percpu_call(s->cpu, do_nothing, NULL) == 0);
	CHECK_EQ(s->ran, calls);
	return NULL;
}

int main(int argc, char **argv)
{
	static struct sender senders[SENDERS];
	pthread_t threads[SENDERS];

	alarm(SECONDS);
	CHECK(argc == 2);
	calls = strtoull(argv[1], NULL, 10);
	find_cpus();
	for (unsigned i = 0; i < SENDERS; i++) {
		senders[i].cpu = cpu_at(i / 2);
		CHECK(pthread_create(&threads[i], NULL, send_all,
				     &senders[i]) == 0);
	}
	for (unsigned i = 0; i < SENDERS; i++)
		CHECK(pthread_join(threads[i], NULL) == 0);
	return TEST_PASS;
}
