/* SPDX-License-Identifier: MIT */
/*
 * Who kills, switches, asks or ends a reference while its pages are given back
 * waits for that, and finds what it would have found; so does who makes one
 * count per CPU again, unless it does. No refresh releases.
 */
#include "refs.h"

#include <pthread.h>
#include <sched.h>

enum { YIELDS = 100 };

/* What is done to each of these, by a thread each. */
enum { AGAIN = REFS_SIGN + 1, STICK, KILL, WAKE, LAST, EXIT, ASK, BACK, USERS };

static enum refs_step acts_at;
static pthread_t threads[USERS];
static bool begun[USERS];
static bool ended[USERS];
static bool confirmed;

static void confirm(struct percpu_ref *r)
{
	CHECK(percpu_ref_is_dying(r));
	CHECK(!percpu_ref_tryget_live(r));
	confirmed = true;
}

static void act(unsigned i)
{
	switch (i) {
	case KILL:
	case LAST:
	case AGAIN: percpu_ref_kill_and_confirm(&refs[i], confirm); break;
	case STICK:
		CHECK(percpu_ref_switch_to_atomic(&refs[i], NULL) == 0);
		CHECK((percpu__ref_load(&refs[i]) & PERCPU__REF_ATOMIC) != 0);
		break;
	case WAKE:
		go_to(refs_left);
		CHECK(percpu_ref_switch_to_percpu(&refs[i]) == 0);
		refs_get(i, 5);
		break;
	case EXIT: CHECK(percpu_ref_exit(&refs[i]) == 0); break;
	case ASK: CHECK_EQ(percpu_ref_val(&refs[i]), refs_want[i]); break;
	default:
		CHECK(percpu_ref_switch_to_percpu(&refs[i]) == 0);
		CHECK(percpu_ref_reinit(&refs[i]) == -EBUSY);
	}
}

static void *run(void *arg)
{
	unsigned i = (unsigned)(uintptr_t)arg;

	__atomic_store_n(&begun[i], true, __ATOMIC_RELEASE);
	act(i);
	__atomic_store_n(&ended[i], true, __ATOMIC_RELEASE);
	return NULL;
}

static bool is_shut(unsigned i)
{
	return (percpu__ref_load(&refs[i]) & PERCPU__REF_FOLDING) != 0;
}

static void refs_hook(enum refs_step step)
{
	if (step != acts_at)
		return;
	acts_at = REFS_STEPS;
	/* Two of whom none but the owner's reference, and nobody, is left. */
	refs_put(LAST, (uint64_t)refs_want[LAST] - 1);
	refs_put(EXIT, (uint64_t)refs_want[EXIT] - 1);
	for (unsigned i = AGAIN; i < USERS; i++) {
		CHECK(is_shut(i) == (i != WAKE));
		CHECK(pthread_create(&threads[i], NULL, run,
				     (void *)(uintptr_t)i) == 0);
		while (!__atomic_load_n(&begun[i], __ATOMIC_ACQUIRE))
			sched_yield();
	}
	while (!__atomic_load_n(&ended[BACK], __ATOMIC_ACQUIRE))
		sched_yield();
	for (unsigned i = 0; i < YIELDS; i++)
		sched_yield();
	for (unsigned i = AGAIN; i < BACK; i++)
		CHECK(!__atomic_load_n(&ended[i], __ATOMIC_ACQUIRE));
	CHECK_EQ(refs_released, 0);
}

/* As they were. */
static void mend(void)
{
	CHECK_EQ(refs_released, 1);
	CHECK(confirmed);
	CHECK_EQ(refs_now(KILL), refs_want[KILL] - 1);
	percpu_ref_put_many(&refs[KILL], (uint64_t)refs_want[KILL] - 1);
	CHECK_EQ(refs_released, 2);
	for (unsigned i = AGAIN; i < USERS; i++) {
		if (i != KILL && i != LAST && i != EXIT)
			continue;
		CHECK(percpu_ref_exit(&refs[i]) == 0);
		refs_init(i);
	}
	CHECK_EQ(refs_now(AGAIN), refs_want[AGAIN] - 1);
	CHECK(percpu_ref_resurrect(&refs[AGAIN]) == 0);
	CHECK_EQ(refs_now(STICK), refs_want[STICK]);
	CHECK(percpu_ref_switch_to_percpu(&refs[STICK]) == 0);
}

static void act_at(enum refs_step step)
{
	memset(begun, 0, sizeof(begun));
	memset(ended, 0, sizeof(ended));
	confirmed = false;
	refs_released = 0;
	CHECK(percpu_ref_switch_to_atomic(&refs[WAKE], NULL) == 0);
	acts_at = step;
	refs_refresh();
	CHECK(acts_at == REFS_STEPS);
	for (unsigned i = AGAIN; i < USERS; i++)
		CHECK(pthread_join(threads[i], NULL) == 0);
	mend();
	refs_check();
	refs_check_modes(true);
}

int main(void)
{
	refs_start();
	if (refs_can()) {
		act_at(REFS_MARKED);
		act_at(REFS_MOVED);
		act_at(REFS_DROP);
	}
	refs_end();
	return TEST_PASS;
}
