/* SPDX-License-Identifier: MIT */
/*
 * ref_fork.c: what a thread had begun on a reference when another one forked,
 * and that only this child can end.
 *
 *   a thread of the parent             the word            the child
 *   switches to atomic, or demotes     FOLDING, parent     folds
 *   makes it count per CPU             PROMOTING, parent   lets it be atomic
 *   kills                              KILLING, parent     kills again, or not
 *   gives pages of its slots back      FOLDING, parent;    as the first;
 *                                      and PROMOTING       as the second
 *
 * Heat is felt by words that nobody works on. While somebody does, its bits
 * have the number of the process (mutex.h), so a child knows what is left to
 * it from what its own threads do; that holds for 2^20 forks of forks during
 * one piece of work.
 *
 * 1. At each instruction the word tells how far the work has come: slots are
 *    added to it in the step that takes FOLDING, or HANDLE, away. So the child
 *    does what remains, and nothing twice.
 * 2. Beside a word without HANDLE lies the release function, or a handle that
 *    was about to be entered, or to leave. Handles are addresses in chunks'
 *    guards, where no function is; the object has the function.
 * 3. Whoever kills, switches, reinits or exits looks first for what is left,
 *    and ends it under the lock of ref_adapt.c, if it is still there then.
 * 4. A thread that forks in a signal handler, out of the middle of its own
 *    work, goes on with it in the child. Nobody has ended it meanwhile: a
 *    handler neither kills, switches, exits nor starts a thread.
 * 5. What is FOLDING needs no fence: no section of this process began before
 *    the mark. That of the thread that forked, if it was in one, was aborted by
 *    the signal.
 *
 * Rejected: handlers that let work end before a fork. Work fences, and calls
 * the program back, which may wait for what another handler has locked; and a
 * thread that forks in a signal handler would wait for itself (lock.c).
 *
 * A handle that the parent's thread had taken, and not entered or not given
 * back, is lost.
 */
#include "ref.h"

#include "registry.h"

void percpu__ref_fork_watch(void)
{
	static bool watched;

	if (!__atomic_load_n(&watched, __ATOMIC_ACQUIRE))
		__atomic_store_n(&watched, percpu__mutex_start() == 0,
				 __ATOMIC_RELEASE);
}

void percpu__ref_fork_mend(struct percpu_ref *r)
{
	void PERCPU *h = __atomic_load_n(&r->guarded.handle, __ATOMIC_RELAXED);

	if (percpu__registry_has(h))
		percpu__ref_owner_leave(h, r);
}

static bool is_left(const struct percpu_ref *r, uint64_t mark)
{
	uint64_t word = percpu__ref_load(r);

	return percpu__ref_is_left(word) && (word & mark) != 0;
}

static void end_promotion(struct percpu_ref *r)
{
	percpu__ref_adapt_lock();
	if (is_left(r, PERCPU__REF_PROMOTING)) {
		if ((percpu__ref_load(r) & PERCPU__REF_HANDLE) == 0)
			percpu__ref_fork_mend(r);
		percpu__ref_clear(r,
				  PERCPU__REF_PROMOTING | PERCPU__REF_FOLDING,
				  0 - PERCPU__REF_BIAS / PERCPU__REF_ONE);
	}
	percpu__ref_adapt_unlock();
}

/* As percpu_ref_switch_to_atomic(), or who demotes, goes on after its fence. */
static void end_fold(struct percpu_ref *r)
{
	bool keep = !is_left(r, PERCPU__REF_DEMOTER);
	struct percpu__ref_folded f = { 0, NULL };

	percpu__ref_fold_alone(r, PERCPU__REF_DEMOTER, 0, keep, &f);
	if (f.left != NULL)
		percpu__ref_adapt_retire(f.left);
}

void percpu__ref_fork_inherit(struct percpu_ref *r)
{
	uint64_t word = percpu__ref_load(r);

	if (!percpu__ref_is_left(word))
		return;
	if ((word & PERCPU__REF_PROMOTING) != 0)
		end_promotion(r);
	else if ((word & (PERCPU__REF_DEMOTER | PERCPU__REF_DEAD)) !=
		 PERCPU__REF_DEAD)
		end_fold(r);
}
