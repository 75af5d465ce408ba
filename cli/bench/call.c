/* SPDX-License-Identifier: MIT */
/*
 * call.c: the experiment call: percpu_call beside what programs have.
 *
 *                          beside
 *   the worker is awake    a mailbox: one line that two threads spin on
 *   it sleeps              mutex and condition variable; pipes
 *   eight outstanding      a queue under a mutex, with condition variables
 *
 * The mailbox is a floor, and no rival: it has one caller, keeps a CPU busy for
 * ever, and can neither queue nor sleep. A worker counts as asleep when the
 * kernel says so, before each call.
 */
#include "call_peers.h"
#include "duet.h"

#include <percpu/percpu.h>

#include <errno.h>
#include <string.h>
#include <unistd.h>

enum { EIGHT = 8 };

static struct partner worker;
static unsigned target;
static struct percpu_csd csds[EIGHT] HARNESS_APART;

static struct {
	uint64_t n;
} HARNESS_APART hits;
static uint64_t asked HARNESS_APART;

static void hit(void *arg)
{
	(void)arg;
	__atomic_store_n(&hits.n, hits.n + 1, __ATOMIC_RELAXED);
}

#define EACH(name, statement)                                                  \
	static void name(void *arg, unsigned thread, uint64_t ops)             \
	{                                                                      \
		(void)arg;                                                     \
		(void)thread;                                                  \
		asked += ops;                                                  \
		for (; ops != 0; ops--)                                        \
			statement;                                             \
	}

EACH(call_library, percpu_call(target, hit, NULL))
EACH(call_mailbox, peer_mailbox_call(hit, NULL))
EACH(call_cond, peer_cond_call(hit, NULL))
EACH(call_pipe, peer_pipe_call(hit, NULL))

/* The last ones have run when one that waits has. */
static void eight_library(void *arg, unsigned thread, uint64_t ops)
{
	(void)arg;
	(void)thread;
	asked += ops + 1;
	for (uint64_t i = 0; i < ops; i++)
		while (percpu_call_async(target, &csds[i % EIGHT]) == -EBUSY)
			;
	percpu_call(target, hit, NULL);
}

static void eight_queue(void *arg, unsigned thread, uint64_t ops)
{
	(void)arg;
	(void)thread;
	asked += ops;
	for (; ops != 0; ops--)
		peer_queue_call(hit, NULL);
	peer_queue_flush();
}

static struct duet awake_library = { &worker, false, false };
static struct duet awake_mailbox = { &peer_mailbox, false, false };
static struct duet asleep_library = { &worker, true, true };
static struct duet asleep_cond = { &peer_cond, true, true };
static struct duet asleep_pipe = { &peer_pipe, true, true };
static struct duet eight_of_library = { &worker, false, true };
static struct duet eight_of_queue = { &peer_queue, false, true };

#define VARIANT(name, what, run, duet)                                         \
	{                                                                      \
		name, what, run, &(duet), NULL, 0, 0                           \
	}
#define AGAIN(run, duet)                                                       \
	{                                                                      \
		"library_again", "the same, again", run, &(duet), "library",   \
			0, 0                                                   \
	}

static const struct variant awake[] = {
	VARIANT("library", "percpu_call", call_library, awake_library),
	AGAIN(call_library, awake_library),
	VARIANT("mailbox", "spinning mailbox", call_mailbox, awake_mailbox),
};
static const struct ratio awake_ratios[] = {
	{ "call_over_mailbox", "library", "mailbox", GOAL_AT_MOST, 1.3 },
};

static const struct variant asleep[] = {
	VARIANT("library", "percpu_call", call_library, asleep_library),
	AGAIN(call_library, asleep_library),
	VARIANT("cond", "condition variable", call_cond, asleep_cond),
	VARIANT("pipe", "two pipes", call_pipe, asleep_pipe),
};
static const struct ratio asleep_ratios[] = {
	{ "call_over_cond", "library", "cond", GOAL_AT_MOST, 1 },
	{ "call_over_pipe", "library", "pipe", GOAL_AT_MOST, 1 },
};

static const struct variant eight[] = {
	VARIANT("library", "percpu_call_async", eight_library,
		eight_of_library),
	AGAIN(eight_library, eight_of_library),
	VARIANT("queue", "condition variable", eight_queue, eight_of_queue),
};
static const struct ratio eight_ratios[] = {
	{ "cond_over_async", "queue", "library", GOAL_AT_LEAST, 10 },
};

static const char *lost(void)
{
	return hits.n == asked ? NULL : "calls were lost, or made twice";
}

#define COUNT(array) (unsigned)(sizeof(array) / sizeof((array)[0]))
#define COMPARISON(key, title, kind, slice_ns)                                 \
	{                                                                      \
		key, title, "call", 2, kind, COUNT(kind), kind##_ratios,       \
			COUNT(kind##_ratios), slice_ns, lost, false            \
	}

static const struct comparison comparisons[] = {
	COMPARISON("awake", "a call to a worker that is awake", awake, 1e5),
	COMPARISON("asleep", "a call to a worker that sleeps", asleep, 1e5),
	COMPARISON("eight", "eight calls in flight", eight, 3e5),
};

static struct partner *const peers[] = { &peer_mailbox, &peer_cond, &peer_pipe,
					 &peer_queue };

/* 0 or -errno. */
static int open_partners(int cpu)
{
	int err;

	target = (unsigned)cpu;
	err = partner_watch_worker(&worker, target);
	if (err < 0)
		return err;
	for (unsigned i = 0; i < EIGHT; i++)
		percpu_csd_init(&csds[i], hit, NULL);
	err = peer_pipe_open();
	for (unsigned i = 0; i < COUNT(peers) && err == 0; i++)
		err = partner_open(peers[i], cpu);
	return err;
}

static void close_partners(void)
{
	for (unsigned i = 0; i < COUNT(peers); i++)
		partner_close(peers[i]);
	peer_pipe_close();
}

static void run(const struct bench *b)
{
	int err = b->nr_cpus < 2 ? 0 : open_partners(b->cpus[1]);

	for (unsigned i = 0; i < COUNT(comparisons); i++)
		if (err == 0)
			duet_compare(b, &comparisons[i]);
		else
			compare_skip(b, &comparisons[i], strerror(-err));
	if (b->nr_cpus >= 2 && err == 0)
		close_partners();
}

static const struct part parts[] = {
	{ "default", PERCPU_POLICY_AUTO, PERCPU_INDEX_CPU, run },
};

const struct experiment experiment_call = {
	.name = "call",
	.what = "calls to another CPU, beside a mailbox, condition variables, "
		"pipes",
	.story =
		"  A function runs on the other CPU, in this library's worker or "
		"in a thread of the\n"
		"  program's. The mailbox is one line that two threads spin on, "
		"for one caller: no\n"
		"  call can be faster.\n",
	.short_ratio = "call_over_mailbox",
	.short_from = "awake",
	.parts = parts,
	.nr_parts = COUNT(parts),
};
