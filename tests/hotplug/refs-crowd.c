/* SPDX-License-Identifier: MIT */
/*
 * Threads get and put references, and owners kill, revive, switch, end and make
 * others, while the CPUs that they may use shrink and grow and each time the
 * memory of those that are gone is given back: each is released once a life,
 * and never while somebody has it.
 */
#include "cpus.h"
#include "disturb.h"
#include "shrink.h"

#include <pthread.h>
#include <string.h>

enum { USERS = 2, OWNERS = 2, THREADS = USERS + OWNERS };
enum { SHARED = 1200, EACH = 150, ROUNDS = 60 };

/* Released if nobody has it. */
struct item {
	struct percpu_ref ref;
	unsigned lives;
	unsigned released;
	int64_t had; /* by its users, apart from the count */
};

static struct item shared[SHARED];
static struct percpu_ref *on_signal = &shared[SHARED / 2].ref;
static pthread_t threads[THREADS];
static unsigned running = THREADS;

static void release(struct percpu_ref *r)
{
	struct item *o = (struct item *)(void *)r;

	CHECK_EQ(__atomic_load_n(&o->had, __ATOMIC_RELAXED), 0);
	o->released++;
}

static void make(struct item *o, unsigned flags)
{
	CHECK(percpu_ref_init(&o->ref, release, flags) == 0);
	o->lives++;
}

static void on_alarm(int sig)
{
	(void)sig;
	CHECK(percpu_ref_tryget_live(on_signal));
	percpu_ref_put(on_signal);
}

static void use(struct item *o, unsigned n)
{
	CHECK(percpu_ref_tryget_live(&o->ref));
	__atomic_fetch_add(&o->had, n, __ATOMIC_RELAXED);
	percpu_ref_get_many(&o->ref, n);
	__atomic_fetch_sub(&o->had, n, __ATOMIC_RELAXED);
	percpu_ref_put_many(&o->ref, n + 1);
}

static void *use_all(void *arg)
{
	timer_t timer = disturb_by_signals();

	(void)arg;
	for (unsigned round = 0; round < ROUNDS * 4; round++)
		for (unsigned i = 0; i < SHARED; i++)
			use(&shared[i], 1 + (i + round) % 5);
	CHECK(timer_delete(timer) == 0);
	__atomic_fetch_sub(&running, 1, __ATOMIC_RELEASE);
	return NULL;
}

/* What an owner does to one of its own, which somebody else has as well. */
static void own(struct item *o, unsigned what)
{
	percpu_ref_get_many(&o->ref, 3);
	switch (what % 4) {
	case 0:
		CHECK(percpu_ref_switch_to_atomic(&o->ref, NULL) == 0);
		use(o, 2);
		CHECK(percpu_ref_switch_to_percpu(&o->ref) == 0);
		break;
	case 1:
		percpu_ref_kill(&o->ref);
		CHECK(!percpu_ref_tryget_live(&o->ref));
		CHECK(percpu_ref_resurrect(&o->ref) == 0);
		break;
	case 2: CHECK_EQ(percpu_ref_val(&o->ref), 4); break;
	default:
		percpu_ref_kill(&o->ref);
		percpu_ref_put_many(&o->ref, 3);
		CHECK_EQ(o->released, o->lives);
		CHECK(percpu_ref_reinit(&o->ref) == 0);
		o->lives++;
		return;
	}
	percpu_ref_put_many(&o->ref, 3);
}

static void live(struct item *o)
{
	for (unsigned i = 0; i < EACH; i++)
		make(&o[i], i % 3 == 0 ? 0 : PERCPU_REF_ALLOW_REINIT);
	for (unsigned i = 0; i < EACH; i++) {
		use(&o[i], 7);
		if (i % 3 != 0)
			own(&o[i], i);
	}
	for (unsigned i = 0; i < EACH; i++) {
		percpu_ref_kill(&o[i].ref);
		CHECK_EQ(o[i].released, o[i].lives);
		CHECK(percpu_ref_exit(&o[i].ref) == 0);
	}
	/* Nothing looks at where they were. */
	memset(o, 0xa5, EACH * sizeof(*o));
}

static void *live_on(void *arg)
{
	(void)arg;
	for (unsigned i = 0; i < ROUNDS; i++) {
		struct item *o = calloc(EACH, sizeof(*o));

		CHECK(o != NULL);
		live(o);
		free(o);
	}
	__atomic_fetch_sub(&running, 1, __ATOMIC_RELEASE);
	return NULL;
}

int main(void)
{
	struct sigaction sa = { .sa_handler = on_alarm };
	struct percpu_alloc_stats left;

	allowed_cpu(1);
	CHECK(sigaction(SIGALRM, &sa, NULL) == 0);
	for (unsigned i = 0; i < SHARED; i++)
		make(&shared[i], 0);
	for (unsigned i = 0; i < THREADS; i++)
		CHECK(pthread_create(&threads[i], NULL,
				     i < USERS ? use_all : live_on, NULL) == 0);
	shrink_and_grow(threads, THREADS, &running);
	for (unsigned i = 0; i < THREADS; i++)
		CHECK(pthread_join(threads[i], NULL) == 0);
	for (unsigned i = 0; i < SHARED; i++) {
		percpu_ref_kill(&shared[i].ref);
		CHECK_EQ(shared[i].released, 1);
		CHECK(percpu_ref_exit(&shared[i].ref) == 0);
	}
	percpu_alloc_stats(&left);
	CHECK_EQ(left.live, 0);
	return TEST_PASS;
}
