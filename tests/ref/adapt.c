/* SPDX-License-Identifier: MIT */
/*
 * adapt.c: an adaptive reference takes no memory per CPU until its line has
 * travelled between CPUs some times in quick succession; then it counts per
 * CPU, if a handle is ready, until a second look finds it idle; what it counts
 * stays right, and a child of fork goes on with it.
 */
#include "support.h"

#include <percpu/alloc.h>
#include <sys/wait.h>

#define MANY 300u
#define HEAT ((uint64_t)PERCPU__REF_HEAT)

static struct percpu_ref ref[MANY];
static unsigned released;

static void release(struct percpu_ref *r)
{
	(void)r;
	released++;
}

static unsigned percpu_ones(void)
{
	unsigned n = 0;

	for (unsigned i = 0; i < MANY; i++)
		n += ref_is_percpu(&ref[i]);
	return n;
}

static void begin(void)
{
	for (unsigned i = 0; i < MANY; i++)
		CHECK_EQ(percpu_ref_init(&ref[i], release, PERCPU_REF_ADAPTIVE),
			 0);
	CHECK_EQ(percpu_ones(), 0);
}

/* Changes from one CPU leave it cold; its word says which CPU. */
static void cold(void)
{
	ref_move(0);
	percpu_ref_get(&ref[0]);
	for (unsigned i = 0; i < 1000; i++) {
		percpu_ref_get(&ref[0]);
		percpu_ref_put(&ref[0]);
	}
	CHECK(!ref_is_percpu(&ref[0]));
	CHECK_EQ(ref_word(&ref[0]) & HEAT, 0);
	percpu_ref_put(&ref[0]);
}

/* As if another CPU had been there in between. */
static void travel(struct percpu_ref *r)
{
	__atomic_fetch_xor(&r->guarded.word, (uint64_t)PERCPU__REF_CPU,
			   __ATOMIC_RELAXED);
}

static void hot(void)
{
	for (unsigned i = 0; i < 1000 && !ref_is_percpu(&ref[1]); i++) {
		percpu_ref_get(&ref[1]);
		percpu_ref_put(&ref[1]);
		travel(&ref[1]);
	}
	CHECK(ref_is_percpu(&ref[1]));
	CHECK_EQ(percpu_ref_val(&ref[1]), 1);
}

/* One degree below full heat, which began @ticks ago; then from elsewhere. */
static void heat(struct percpu_ref *r, uint64_t ticks)
{
	uint64_t since = (percpu__os_ticks() - ticks) * PERCPU__REF_TICK &
			 PERCPU__REF_SINCE;
	uint64_t word = ref_word(r) & ~(uint64_t)PERCPU__REF_SINCE;

	r->guarded.word = (word | HEAT | since) - PERCPU__REF_WARMTH;
	travel(r);
	percpu_ref_get(r);
	percpu_ref_put(r);
}

/*
 * Full heat that took long does not count. The clock's few bits come round, so
 * a test that is interrupted for just so long may see one that does.
 */
static void slow(void)
{
	unsigned cold = 0;

	for (unsigned i = 2; i < 12; i++) {
		heat(&ref[i], 20);
		cold += !ref_is_percpu(&ref[i]);
	}
	CHECK(cold > 0);
}

/* There are handles for some; the rest stays as it is, and is as right. */
static void run_dry(void)
{
	unsigned n;

	for (unsigned i = 0; i < MANY; i++) {
		ref_promote(&ref[i]);
		percpu_ref_get_many(&ref[i], i);
	}
	n = percpu_ones();
	CHECK(n >= 100 && n < MANY);
	for (unsigned i = 0; i < MANY; i++) {
		CHECK_EQ(percpu_ref_val(&ref[i]), i + 1);
		percpu_ref_put_many(&ref[i], i);
	}
}

/* The next that may allocate makes more. */
static void refilled(void)
{
	struct percpu_ref more;
	unsigned before = percpu_ones();

	CHECK_EQ(percpu_ref_init(&more, release, PERCPU_REF_ADAPTIVE), 0);
	for (unsigned i = 0; i < MANY; i++) {
		percpu_ref_get(&ref[i]);
		percpu_ref_put(&ref[i]);
		if (!ref_is_percpu(&ref[i]))
			ref_promote(&ref[i]);
	}
	CHECK(percpu_ones() > before);
	percpu_ref_kill(&more);
	CHECK_EQ(percpu_ref_exit(&more), 0);
}

static void in_child(void)
{
	pid_t pid = fork();
	int status;

	CHECK(pid >= 0);
	if (pid == 0) {
		released = 0;
		percpu_trim();
		percpu_trim();
		for (unsigned i = 0; i < MANY; i++)
			percpu_ref_kill(&ref[i]);
		CHECK_EQ(released, MANY);
		for (unsigned i = 0; i < MANY; i++)
			CHECK_EQ(percpu_ref_exit(&ref[i]), 0);
		_exit(TEST_PASS);
	}
	CHECK(waitpid(pid, &status, 0) == pid);
	CHECK_EQ(status, 0);
}

static void end(void)
{
	percpu_trim();
	percpu_trim();
	CHECK_EQ(percpu_ones(), 0);
	released = 0;
	for (unsigned i = 0; i < MANY; i++)
		percpu_ref_kill(&ref[i]);
	CHECK_EQ(released, MANY);
	for (unsigned i = 0; i < MANY; i++)
		CHECK_EQ(percpu_ref_exit(&ref[i]), 0);
}

/* Those that were asked whether they are idle count in slots all the same. */
static void killed_when_asked(void)
{
	begin();
	for (unsigned i = 0; i < 40; i++) {
		ref_promote(&ref[i]);
		percpu_ref_get(&ref[i]);
	}
	percpu__ref_adapt_settle();
	released = 0;
	for (unsigned i = 0; i < MANY; i++)
		percpu_ref_kill(&ref[i]);
	CHECK_EQ(released, MANY - 40);
	for (unsigned i = 0; i < 40; i++)
		percpu_ref_put(&ref[i]);
	CHECK_EQ(released, MANY);
	for (unsigned i = 0; i < MANY; i++)
		CHECK_EQ(percpu_ref_exit(&ref[i]), 0);
}

int main(void)
{
	if (!ref_can())
		SKIP("nothing counts per CPU here");
	begin();
	cold();
	hot();
	slow();
	run_dry();
	refilled();
	in_child();
	end();
	begin();
	run_dry();
	end();
	killed_when_asked();
	return TEST_PASS;
}
