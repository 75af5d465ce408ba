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

#include <percpu/cpu.h>

#include <errno.h>

/*
 * In a child of fork what was being demoted is so by this look. What is killed
 * is not waited for: its fence may have been refused.
 */
void percpu__ref_switch_wait(const struct percpu_ref *r)
{
	uint64_t word = percpu__ref_load(r);

	if ((word & PERCPU__REF_DEMOTER) != 0)
		percpu__ref_adapt_settle();
	while (((word = percpu__ref_load(r)) & PERCPU__REF_FOLDING) != 0 &&
	       (word & PERCPU__REF_DEAD) == 0)
		percpu__os_doze();
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
			new = (new & ~(uint64_t)PERCPU__REF_ASKED) |
			      PERCPU__REF_ATOMIC | PERCPU__REF_FOLDING;
	} while (!percpu__ref_change(r, &word, new));
	return percpu;
}

int percpu_ref_switch_to_atomic(struct percpu_ref *r, percpu_ref_fn *done)
{
	struct percpu__ref_folded f;

	if (!stick(r)) {
		percpu__ref_switch_wait(r);
	} else if (percpu_fence() == 0) {
		f = percpu__ref_fold_alone(r, 0, 0, true);
		if (percpu__ref_count(f.word) == 0) {
			percpu__ref_release(r, f.word);
			return 0;
		}
	} else {
		__atomic_fetch_and(&r->guarded.word,
				   ~(uint64_t)(PERCPU__REF_STICKY |
					       PERCPU__REF_FOLDING |
					       PERCPU__REF_ATOMIC),
				   __ATOMIC_ACQ_REL);
		return -EOPNOTSUPP;
	}
	if (done != NULL)
		done(r);
	return 0;
}

/*
 * A handle for @r, which is plainly atomic and should count per CPU, to *@h;
 * NULL if it should not: it cannot, is to stay as it is, or finds its own way.
 */
static int handle_for(struct percpu_ref *r, void PERCPU **h)
{
	uint64_t word = percpu__ref_load(r);

	*h = NULL;
	if (percpu__ref_is_biased(word) || !percpu__ref_percpu_can())
		return 0;
	if ((word & PERCPU__REF_HANDLE) != 0)
		*h = r->guarded.handle;
	else if ((word & PERCPU__REF_ADAPTS) == 0)
		*h = percpu__ref_percpu_handle();
	else
		return 0;
	return *h != NULL ? 0 : -ENOMEM;
}

int percpu_ref_switch_to_percpu(struct percpu_ref *r)
{
	uint64_t word = percpu__ref_load(r);
	void PERCPU *h = NULL;
	int ret;

	if ((word & PERCPU__REF_REINIT) == 0)
		return -EINVAL;
	if ((word & PERCPU__REF_DEAD) == 0) {
		ret = handle_for(r, &h);
		if (ret < 0)
			return ret;
	}
	__atomic_fetch_and(&r->guarded.word, ~(uint64_t)PERCPU__REF_STICKY,
			   __ATOMIC_RELAXED);
	if (h != NULL)
		percpu__ref_percpu_start(r, h);
	return 0;
}

/* Take the mark of death off @r, with a reference more. */
static void revive(struct percpu_ref *r)
{
	uint64_t word = percpu__ref_load(r);
	uint64_t marks = PERCPU__REF_DEAD | PERCPU__REF_HEAT;
	void PERCPU *h = NULL;

	while (!percpu__ref_change(r, &word, (word & ~marks) + PERCPU__REF_ONE))
		;
	if ((word & PERCPU__REF_STICKY) == 0 && handle_for(r, &h) == 0 &&
	    h != NULL)
		percpu__ref_percpu_start(r, h);
}

int percpu_ref_reinit(struct percpu_ref *r)
{
	uint64_t word = percpu__ref_load(r);

	if ((word & PERCPU__REF_REINIT) == 0)
		return -EINVAL;
	if (!percpu_ref_is_zero(r))
		return -EBUSY;
	revive(r);
	return 0;
}

int percpu_ref_resurrect(struct percpu_ref *r)
{
	uint64_t word = percpu__ref_load(r);

	if ((word & PERCPU__REF_REINIT) == 0 ||
	    (word & PERCPU__REF_DEAD) == 0 || percpu_ref_is_zero(r))
		return -EINVAL;
	revive(r);
	return 0;
}
