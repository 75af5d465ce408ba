/* SPDX-License-Identifier: MIT */
/*
 * What a signal handler may do, it may do at every instruction of the same on
 * the same object: it waits for nobody, and both count. Adds on handles; adds
 * to counters within a batch, beyond it, far beyond, and without a per-CPU
 * part; getting, putting and the last put of references, and what makes an
 * adaptive one count per CPU.
 *
 * The handler is that of the trap that the processor takes after each
 * instruction. First it does so at all of them in one go; then at one alone,
 * each time of a new object, where of later ones more and more are left out.
 */
#include "check.h"
#include "ref.h"
#include "stepped.h"

#include <percpu/percpu.h>

#include <unistd.h>

enum { SECONDS = 60 };

/* Each is begun, done once and in handlers, and checked. */
struct operation {
	const char *name;
	void (*begin)(void);
	void (*run)(void);
	void (*end)(unsigned runs);
};

static const struct operation *now;
static unsigned long step;
static unsigned long chosen; /* the step at which a handler does it; 0: each */
static unsigned runs;

static bool stepped_do(void)
{
	if (++step < chosen)
		return true;
	runs++;
	now->run();
	return chosen == 0;
}

static uint64_t PERCPU *word;
static uint32_t PERCPU *half;

static void words_begin(void)
{
	word = percpu_new(uint64_t);
	half = percpu_new(uint32_t);
	CHECK(word != NULL && half != NULL);
}

static void words_run(void)
{
	percpu_add(word, 3);
	percpu_add_all(word, 2, half, 1);
	percpu_sub(word, 1);
}

static void words_end(unsigned n)
{
	CHECK_EQ(percpu_sum(word), 4 * n);
	CHECK_EQ(percpu_sum(half), n);
	percpu_free(word);
	percpu_free(half);
}

static struct percpu_counter counter;
static struct percpu_counter stock;
static int64_t first;

static void counter_begin(void)
{
	first = 0;
	CHECK(percpu_counter_init(&counter, 0) == 0);
}

static void counter_begin_near(void)
{
	counter_begin();
	first = 3;
	percpu_counter_add_batch(&counter, 3, 4);
}

/* The library has a part at hand, which the first of its adds takes. */
static void counter_begin_new(void)
{
	const struct percpu_counter none = PERCPU_COUNTER_INITIALIZER(0);

	percpu_counter_sync(&stock);
	counter = none;
	first = 0;
}

static void counter_run(void)
{
	percpu_counter_add_batch(&counter, 3, 4);
}

static void counter_run_far(void)
{
	percpu_counter_add_batch(&counter, 3000, 4);
}

static void counter_end(unsigned n)
{
	int64_t v = now->run == counter_run ? 3 : 3000;

	CHECK_EQ(percpu_counter_sum(&counter), first + v * n);
	percpu_counter_destroy(&counter);
}

static struct percpu_ref ref;
static struct percpu_ref other; /* two at once, of those that adapt */
static unsigned released;

static void release(struct percpu_ref *r)
{
	(void)r;
	released++;
}

static void ref_begin(void)
{
	released = 0;
	CHECK_EQ(percpu_ref_init(&ref, release, 0), 0);
}

static void ref_begin_atomic(void)
{
	released = 0;
	CHECK_EQ(percpu_ref_init(&ref, release, PERCPU_REF_INIT_ATOMIC), 0);
}

static void ref_begin_adaptive(void)
{
	released = 0;
	CHECK_EQ(percpu_ref_init(&ref, release, PERCPU_REF_ADAPTIVE), 0);
}

/* One more than before. */
static void ref_run(void)
{
	percpu_ref_get(&ref);
	CHECK(percpu_ref_tryget(&ref));
	CHECK(percpu_ref_tryget_live(&ref));
	percpu_ref_put_many(&ref, 2);
}

static void ref_begin_promote(void)
{
	ref_begin_adaptive();
	CHECK_EQ(percpu_ref_init(&other, release, PERCPU_REF_ADAPTIVE), 0);
}

static void ref_run_promote(void)
{
	percpu__ref_adapt_promote(&ref);
	percpu__ref_adapt_promote(&other);
	percpu_ref_get(&ref);
}

static void ref_end(unsigned n)
{
	CHECK_EQ(percpu_ref_val(&ref), n + 1);
	percpu_ref_kill(&ref);
	CHECK_EQ(released, 0);
	percpu_ref_put_many(&ref, n);
	CHECK_EQ(released, 1);
	CHECK_EQ(percpu_ref_exit(&ref), 0);
}

static void ref_end_promote(unsigned n)
{
	CHECK_EQ(percpu_ref_exit(&other), 0);
	ref_end(n);
}

static void ref_begin_killed(void)
{
	ref_begin();
	percpu_ref_get_many(&ref, 2);
	percpu_ref_kill(&ref);
}

static void ref_run_put(void)
{
	percpu_ref_put(&ref);
}

static void ref_end_killed(unsigned n)
{
	CHECK_EQ(released, n == 2);
	if (n == 1)
		percpu_ref_put(&ref);
	CHECK_EQ(released, 1);
	CHECK_EQ(percpu_ref_exit(&ref), 0);
}

static const struct operation operations[] = {
	{ "handles", words_begin, words_run, words_end },
	{ "counter", counter_begin, counter_run, counter_end },
	{ "batch", counter_begin_near, counter_run, counter_end },
	{ "far", counter_begin, counter_run_far, counter_end },
	{ "part", counter_begin_new, counter_run, counter_end },
	{ "ref", ref_begin, ref_run, ref_end },
	{ "atomic", ref_begin_atomic, ref_run, ref_end },
	{ "adaptive", ref_begin_adaptive, ref_run, ref_end },
	{ "promote", ref_begin_promote, ref_run_promote, ref_end_promote },
	/* Not more often than there are references. */
	{ "put", ref_begin_killed, ref_run_put, ref_end_killed },
};

/* How often a handler has done it. */
static unsigned interrupted(void)
{
	step = 0;
	runs = 1;
	now->begin();
	stepped_start();
	now->run();
	stepped_stop();
	now->end(runs);
	return runs - 1;
}

static void run_all(void)
{
	chosen = 0;
	if (now->run != ref_run_put)
		CHECK(interrupted() > 10);
	do
		chosen += 1 + chosen / 8;
	while (interrupted() != 0);
	printf("%s: %lu steps\n", now->name, step);
	CHECK(chosen > 10);
}

int main(void)
{
	stepped_prepare();
	alarm(SECONDS);
	for (size_t i = 0; i < sizeof(operations) / sizeof(*operations); i++) {
		now = &operations[i];
		run_all();
	}
	return TEST_PASS;
}
