/* SPDX-License-Identifier: MIT */
/*
 * ref_switch.c: from per CPU to one place and back, by the owner's will, and
 * back to life after a kill.
 *
 *   to atomic   mark STICKY, ATOMIC and FOLDING; fence; fold
 *   to per CPU  take STICKY away; then as ref_percpu.c has it
 *   reinit      take DEAD away, with the first reference; then the same
 *
 * References that there are stay: the caller has one of them, or, to reinit,
 * there is none.
 */
#include "ref.h"

#include "os.h"

#include <percpu/alloc.h>
#include <percpu/cpu.h>

#include <errno.h>

/*
 * What is killed is not waited for: its fence may have been refused. Who
 * demotes may be calling the program, which waits for the caller: so that is
 * done here, too.
 */
void percpu__ref_switch_wait(struct percpu_ref *r)
{
	uint64_t word;

	/* Also after each doze: a signal handler may have forked in it. */
	while (percpu__ref_fork_inherit(r), word = percpu__ref_load(r),
	       (word & (PERCPU__REF_FOLDING | PERCPU__REF_DEAD)) ==
		       PERCPU__REF_FOLDING) {
		if ((word & PERCPU__REF_DEMOTER) != 0)
			percpu__ref_adapt_settle();
		else
			percpu__os_doze();
	}
}

/* Make @r STICKY; whether it is FOLDING by that. */
static bool stick(struct percpu_ref *r)
{
	uint64_t word = percpu__ref_load(r);
	uint64_t new;
	bool percpu;

	do {
		percpu = percpu__ref_is_percpu(word);
		new = word | PERCPU__REF_STICKY;
		if (percpu)
			new = percpu__ref_own(
				(new & ~(uint64_t)PERCPU__REF_ASKED) |
				PERCPU__REF_ATOMIC | PERCPU__REF_FOLDING);
	} while (!percpu__ref_change(r, &word, new));
	return percpu;
}

/* End counting per CPU, after stick(). */
static int fold(struct percpu_ref *r, bool *released)
{
	struct percpu__ref_folded f;

	if (percpu_fence() != 0) {
		percpu__ref_clear(r,
				  PERCPU__REF_STICKY | PERCPU__REF_FOLDING |
					  PERCPU__REF_ATOMIC,
				  0);
		return -EOPNOTSUPP;
	}
	*released = percpu__ref_fold_alone(r, 0, 0, true, &f) &&
		    percpu__ref_count(f.word) == 0;
	if (*released)
		percpu__ref_release(r, f.word);
	return 0;
}

/* Who demotes goes on per CPU where its fence is refused: then @r folds. */
int percpu_ref_switch_to_atomic(struct percpu_ref *r, percpu_ref_fn *done)
{
	bool released = false;
	int ret = 0;

	if (!percpu__ref_is_made(r, "percpu_ref_switch_to_atomic"))
		return -EINVAL;
	percpu__ref_fork_inherit(r);
	do {
		if (stick(r))
			ret = fold(r, &released);
		else
			percpu__ref_switch_wait(r);
	} while (ret == 0 && !released &&
		 percpu__ref_is_percpu(percpu__ref_load(r)));
	if (ret == 0 && !released && done != NULL)
		done(r);
	return ret;
}

/* Whether @r, as @word is, has no handle, and gets one of its own. */
static bool needs_handle(uint64_t word)
{
	return !percpu__ref_is_biased(word) &&
	       (word & (PERCPU__REF_HANDLE | PERCPU__REF_ADAPTS)) == 0 &&
	       percpu__ref_percpu_can();
}

/*
 * Let @r, which the caller promotes, count per CPU, in the slots of the handle
 * that it has kept, or of @fresh; one that has none, adapts. Whether it has
 * @fresh. Which handle it is shows only now: before, others may promote and
 * demote it, and the handle is another's then.
 */
static bool enter_in(struct percpu_ref *r, void PERCPU *fresh)
{
	void PERCPU *h = fresh;

	if ((percpu__ref_load(r) & PERCPU__REF_HANDLE) != 0)
		h = r->guarded.handle;
	if (h == NULL) {
		percpu__ref_percpu_stop(r);
		return false;
	}
	if (!percpu__ref_percpu_enter(r, h) || h != fresh)
		return false;
	percpu__ref_retire_agree(h);
	return true;
}

/*
 * The same. The lock keeps away who drops pages of a handle that is idle: those
 * of adaptive ones nobody drops.
 */
static void enter(struct percpu_ref *r, void PERCPU *fresh)
{
	uint64_t word = percpu__ref_load(r);
	bool lock = (word & PERCPU__REF_ADAPTS) == 0;
	bool has = false;

	if (percpu__ref_percpu_can() && !percpu__ref_is_biased(word)) {
		if (lock)
			percpu__ref_adapt_lock();
		has = percpu__ref_percpu_begin(r) && enter_in(r, fresh);
		if (lock)
			percpu__ref_adapt_unlock();
	}
	if (!has)
		percpu_free(fresh);
}

int percpu_ref_switch_to_percpu(struct percpu_ref *r)
{
	void PERCPU *fresh = NULL;
	uint64_t word;

	percpu__ref_fork_inherit(r);
	word = percpu__ref_load(r);
	if ((word & PERCPU__REF_REINIT) == 0)
		return -EINVAL;
	if ((word & PERCPU__REF_DEAD) == 0 && needs_handle(word)) {
		fresh = percpu__ref_percpu_handle();
		if (fresh == NULL)
			return -ENOMEM;
	}
	__atomic_fetch_and(&r->guarded.word, ~(uint64_t)PERCPU__REF_STICKY,
			   __ATOMIC_RELAXED);
	enter(r, fresh);
	return 0;
}

/*
 * Take the mark of death off @r, with a reference more; false if it is not at
 * zero, or is, as @zero says it must be.
 */
static bool revive(struct percpu_ref *r, bool zero)
{
	uint64_t marks = PERCPU__REF_DEAD | PERCPU__REF_FORKS;
	uint64_t word;

	percpu__ref_fork_inherit(r);
	word = percpu__ref_load(r);
	do {
		if (percpu__ref_is_zero(word) != zero)
			return false;
	} while (!percpu__ref_change(r, &word,
				     (word & ~marks) + PERCPU__REF_ONE));
	if ((word & PERCPU__REF_STICKY) == 0)
		enter(r,
		      needs_handle(word) ? percpu__ref_percpu_handle() : NULL);
	return true;
}

int percpu_ref_reinit(struct percpu_ref *r)
{
	uint64_t word = percpu__ref_load(r);

	if ((word & PERCPU__REF_REINIT) == 0)
		return -EINVAL;
	return revive(r, true) ? 0 : -EBUSY;
}

int percpu_ref_resurrect(struct percpu_ref *r)
{
	uint64_t word = percpu__ref_load(r);

	if ((word & PERCPU__REF_REINIT) == 0 || (word & PERCPU__REF_DEAD) == 0)
		return -EINVAL;
	if ((word & PERCPU__REF_KILLING) != 0)
		return -EBUSY;
	return revive(r, false) ? 0 : -EINVAL;
}
