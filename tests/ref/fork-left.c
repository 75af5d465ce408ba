/* SPDX-License-Identifier: MIT */
/*
 * fork-left.c: a child of fork ends what a thread of its parent had begun on a
 * reference, at each step of that: the reference switches, dies and is released
 * there as if it had been ended before.
 */
#include "support.h"

#include <sys/wait.h>

static unsigned released;

static void release(struct percpu_ref *r)
{
	CHECK_EQ(percpu_ref_is_zero(r), true);
	released++;
}

static void mark(struct percpu_ref *r, uint64_t off, uint64_t on)
{
	uint64_t word = ref_word(r);

	CHECK(percpu__ref_change(r, &word,
				 percpu__ref_own((word & ~off) | on)));
}

static void begin(struct percpu_ref *r, unsigned flags)
{
	released = 0;
	CHECK_EQ(percpu_ref_init(r, release, flags), 0);
	percpu_ref_get(r);
}

/* The other thread of the parent is at the step that @at does. */
static void in_child(unsigned flags, void (*at)(struct percpu_ref *),
		     void (*then)(struct percpu_ref *))
{
	static struct percpu_ref r;
	int status;
	pid_t pid;

	begin(&r, flags);
	at(&r);
	pid = fork();
	CHECK(pid >= 0);
	if (pid == 0) {
		alarm(20);
		CHECK_EQ(percpu_ref_val(&r), 2);
		then(&r);
		CHECK_EQ(percpu_ref_exit(&r), 0);
		_exit(TEST_PASS);
	}
	CHECK(waitpid(pid, &status, 0) == pid);
	CHECK_EQ(status, 0);
}

static void switching(struct percpu_ref *r)
{
	mark(r, 0,
	     PERCPU__REF_STICKY | PERCPU__REF_ATOMIC | PERCPU__REF_FOLDING);
}

static void promoting(struct percpu_ref *r)
{
	CHECK(percpu__ref_percpu_begin(r));
}

/* The handle is there, the word does not say so yet. */
static void entering(struct percpu_ref *r)
{
	void PERCPU *h = percpu__ref_percpu_handle();

	promoting(r);
	percpu__ref_owner_set(h, r,
			      (percpu_ref_fn *)(uintptr_t)r->guarded.handle);
	r->guarded.handle = h;
}

static void killing(struct percpu_ref *r)
{
	mark(r, 0,
	     PERCPU__REF_DEAD | PERCPU__REF_KILLING | PERCPU__REF_ATOMIC |
		     PERCPU__REF_FOLDING);
}

/* Slots are added; the handle is there, the word does not say so any more. */
static void dropping(struct percpu_ref *r)
{
	uint64_t sum = percpu__ref_slots(r->guarded.handle);

	killing(r);
	mark(r, PERCPU__REF_HANDLE, 0);
	__atomic_fetch_add(&r->guarded.word, sum * PERCPU__REF_ONE,
			   __ATOMIC_RELAXED);
}

/* And the release function is there again. */
static void dropped(struct percpu_ref *r)
{
	void PERCPU *h = r->guarded.handle;

	dropping(r);
	percpu__ref_owner_forget(h);
	r->guarded.handle =
		(void PERCPU *)(uintptr_t)percpu__ref_owner_release(h);
}

static void kills(struct percpu_ref *r)
{
	percpu_ref_kill(r);
	CHECK_EQ(percpu_ref_val(r), 1);
	CHECK_EQ(released, 0);
	percpu_ref_put(r);
	CHECK_EQ(released, 1);
}

static void kills_many(struct percpu_ref *r)
{
	percpu_ref_kill_many(&r, 1);
	percpu_ref_put(r);
	CHECK_EQ(released, 1);
}

static void exits(struct percpu_ref *r)
{
	percpu_ref_put(r);
}

static void to_atomic(struct percpu_ref *r)
{
	CHECK_EQ(percpu_ref_switch_to_atomic(r, NULL), 0);
	CHECK_EQ(percpu_ref_val(r), 2);
	CHECK(!percpu__ref_is_biased(ref_word(r)));
	kills(r);
}

static void to_percpu(struct percpu_ref *r)
{
	CHECK_EQ(percpu_ref_switch_to_percpu(r), 0);
	CHECK(ref_is_percpu(r) || (ref_word(r) & PERCPU__REF_ADAPTS) != 0);
	CHECK_EQ(percpu_ref_val(r), 2);
	kills(r);
}

/* To zero and back to life, where that is possible. */
static void reinits(struct percpu_ref *r)
{
	kills(r);
	CHECK_EQ(percpu_ref_reinit(r), 0);
	CHECK_EQ(percpu_ref_val(r), 1);
}

int main(void)
{
	static void (*const then[])(struct percpu_ref *) = {
		exits, kills, kills_many, to_atomic, to_percpu, reinits,
	};

	if (!ref_can())
		SKIP("nothing counts per CPU here");
	for (size_t i = 0; i < sizeof(then) / sizeof(*then); i++) {
		in_child(PERCPU_REF_ALLOW_REINIT, switching, then[i]);
		in_child(PERCPU_REF_ADAPTIVE, promoting, then[i]);
		in_child(PERCPU_REF_ADAPTIVE, entering, then[i]);
	}
	in_child(PERCPU_REF_ALLOW_REINIT, killing, kills);
	in_child(PERCPU_REF_ALLOW_REINIT, killing, reinits);
	in_child(0, killing, kills_many);
	in_child(0, dropping, kills);
	in_child(0, dropped, kills);
	return TEST_PASS;
}
