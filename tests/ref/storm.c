/* SPDX-License-Identifier: MIT */
/*
 * storm.c: threads that move between CPUs, one of which runs no sections, and
 * handlers of signals that hit them anywhere, get and put references until an
 * owner has killed each, and a look demotes adaptive ones meanwhile; all
 * that was taken is put, release runs once, after the last put, and no
 * tryget_live() succeeds once kill has confirmed.
 */
#include "support.h"

#include <percpu/ref.h>

#include <signal.h>
#include <sys/syscall.h>

#define THREADS 3u
#define ROUNDS 400u

struct object {
	struct percpu_ref ref;
	int64_t users; /* references that somebody holds */
	unsigned released;
	unsigned round; /* how often it was reinitialised */
	bool confirmed; /* in this round */
};

static struct object objects[ROUNDS];
static struct object *current = objects;
static bool adapts;
static bool ended;
static unsigned long taken;
static unsigned long handled;

static void release(struct percpu_ref *r)
{
	struct object *o = (struct object *)(void *)r;

	CHECK_EQ(__atomic_load_n(&o->users, __ATOMIC_ACQUIRE), 0);
	__atomic_fetch_add(&o->released, 1, __ATOMIC_RELEASE);
}

static void confirm(struct percpu_ref *r)
{
	struct object *o = (struct object *)(void *)r;

	__atomic_store_n(&o->confirmed, true, __ATOMIC_SEQ_CST);
}

static void user(struct object *o, int64_t n)
{
	__atomic_fetch_add(&o->users, n, __ATOMIC_ACQ_REL);
}

static unsigned round_of(struct object *o)
{
	return __atomic_load_n(&o->round, __ATOMIC_SEQ_CST);
}

/* Hold a reference, a second one, and three at once. */
static bool use(bool (*get)(struct percpu_ref *))
{
	struct object *o = __atomic_load_n(&current, __ATOMIC_ACQUIRE);
	unsigned round = round_of(o);
	bool confirmed = __atomic_load_n(&o->confirmed, __ATOMIC_SEQ_CST);

	if (!get(&o->ref))
		return false;
	user(o, 1);
	if (get == percpu_ref_tryget_live)
		CHECK(!confirmed || round_of(o) != round);
	percpu_ref_get(&o->ref);
	percpu_ref_get_many(&o->ref, 3);
	CHECK(percpu_ref_tryget_many(&o->ref, 2));
	percpu_ref_put(&o->ref);
	percpu_ref_put_many(&o->ref, 5);
	if (adapts && (taken & 3) == 0)
		ref_promote(&o->ref);
	user(o, -1);
	percpu_ref_put(&o->ref);
	__atomic_fetch_add(&taken, 1, __ATOMIC_RELAXED);
	return true;
}

static void on_signal(int sig)
{
	(void)sig;
	if (use(percpu_ref_tryget))
		__atomic_fetch_add(&handled, 1, __ATOMIC_RELAXED);
}

/* From now on this thread runs no section, where libc had registered it. */
static void unregister(void)
{
#ifdef PERCPU__LIBC_AREA
	char *area = (char *)__builtin_thread_pointer() + __rseq_offset;

	/* 32 bytes, whatever __rseq_size says. */
	syscall(__NR_rseq, area, 32, RSEQ_FLAG_UNREGISTER, RSEQ_SIG);
#endif
}

static void *work(void *arg)
{
	unsigned turn = (unsigned)(uintptr_t)arg;

	if (turn == 0)
		unregister();
	while (!__atomic_load_n(&ended, __ATOMIC_ACQUIRE)) {
		use((turn & 1) != 0 ? percpu_ref_tryget :
				      percpu_ref_tryget_live);
		if (turn++ % 8 == 0)
			ref_move(turn / 8);
	}
	return NULL;
}

/* The library looks at adaptive references meanwhile, and demotes some. */
static void *look(void *arg)
{
	while (!__atomic_load_n(&ended, __ATOMIC_ACQUIRE)) {
		percpu__ref_adapt_settle();
		sched_yield();
	}
	return arg;
}

/* Wait until threads have used it a few times more. */
static void let_use(unsigned long by)
{
	unsigned long from = __atomic_load_n(&taken, __ATOMIC_RELAXED);

	while (__atomic_load_n(&taken, __ATOMIC_RELAXED) - from < by)
		sched_yield();
}

static void kill_and_wait(struct object *o)
{
	struct percpu_ref *ref = &o->ref;

	if (o->round % 2 == 0)
		percpu_ref_kill_and_confirm(ref, confirm);
	else
		percpu_ref_kill_many(&ref, 1);
	while (__atomic_load_n(&o->released, __ATOMIC_ACQUIRE) == 0)
		sched_yield();
	CHECK(percpu_ref_is_zero(&o->ref));
	CHECK(!percpu_ref_tryget(&o->ref));
	CHECK_EQ(o->released, 1);
}

static void to_and_fro(struct object *o)
{
	CHECK(percpu_ref_switch_to_atomic(&o->ref, NULL) == 0);
	let_use(5);
	CHECK(percpu_ref_switch_to_percpu(&o->ref) == 0);
	let_use(5);
}

/* The same object again, or the next one. */
static void renew(struct object *o, unsigned flags)
{
	if (flags == 0) {
		CHECK(percpu_ref_exit(&o->ref) == 0);
		o++;
		CHECK(percpu_ref_init(&o->ref, release, flags) == 0);
		__atomic_store_n(&current, o, __ATOMIC_RELEASE);
		return;
	}
	o->released = 0;
	__atomic_store_n(&o->confirmed, false, __ATOMIC_SEQ_CST);
	__atomic_fetch_add(&o->round, 1, __ATOMIC_SEQ_CST);
	CHECK(percpu_ref_reinit(&o->ref) == 0);
}

static void live_and_die(struct object *o, unsigned round, unsigned flags,
			 const pthread_t *thread)
{
	let_use(20);
	for (unsigned k = 0; k < THREADS; k++)
		pthread_kill(thread[k], SIGUSR1);
	if (flags != 0 && round % 3 == 0)
		to_and_fro(o);
	kill_and_wait(o);
}

int main(int argc, char **argv)
{
	struct sigaction sa = { .sa_handler = on_signal,
				.sa_flags = SA_RESTART };
	unsigned flags = ref_flags(argc, argv);
	pthread_t thread[THREADS];
	pthread_t looker;

	adapts = (flags & PERCPU_REF_ADAPTIVE) != 0;
	CHECK(sigaction(SIGUSR1, &sa, NULL) == 0);
	CHECK(percpu_ref_init(&objects->ref, release, flags) == 0);
	for (uintptr_t i = 0; i < THREADS; i++)
		CHECK(pthread_create(&thread[i], NULL, work, (void *)i) == 0);
	CHECK(pthread_create(&looker, NULL, look, NULL) == 0);
	for (unsigned i = 0; i < ROUNDS; i++) {
		live_and_die(current, i, flags, thread);
		if (i + 1 < ROUNDS)
			renew(current, flags);
	}
	__atomic_store_n(&ended, true, __ATOMIC_RELEASE);
	for (unsigned i = 0; i < THREADS; i++)
		CHECK(pthread_join(thread[i], NULL) == 0);
	CHECK(pthread_join(looker, NULL) == 0);
	CHECK(percpu_ref_exit(&current->ref) == 0);
	printf("%lu uses, %lu in handlers\n", taken, handled);
	return TEST_PASS;
}
