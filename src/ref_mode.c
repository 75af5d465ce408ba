/* SPDX-License-Identifier: MIT */
/*
 * ref_mode.c: how a reference begins and ends: init, kill, exit.
 *
 *   kill   mark      DEAD, KILLING; if it counts per CPU, ATOMIC and FOLDING
 *          fence     now each section either counted, or sees the mark
 *          confirm
 *          fold      word += slots - bias - the reference of init
 *
 * Until the last step the bias, or that reference, keeps the word from zero, so
 * the reference cannot be released under whoever kills it. The last step is one
 * compare-and-swap: either it leaves other references, and the reference is not
 * touched again, or it leaves none, and then nobody else releases.
 *
 * Where another thread is promoting the reference at the moment, the word has
 * the bias of that: the kill marks it and takes its own reference away, and who
 * began ends it. Where the library is demoting it, whoever has the lock first
 * after its own fence folds, and the kill drops its reference no earlier: so a
 * look leaves nothing to do at what is dead, of which a child of fork would
 * hear no more.
 */
#include "ref.h"

#include "message.h"

#include <percpu/alloc.h>
#include <percpu/cpu.h>

#include <errno.h>

#define FLAGS                                                                  \
	(PERCPU_REF_INIT_ATOMIC | PERCPU_REF_INIT_DEAD |                       \
	 PERCPU_REF_ALLOW_REINIT | PERCPU_REF_ADAPTIVE)

/* The word of a new reference that is atomic so far. */
static uint64_t first_word(unsigned flags)
{
	uint64_t word = PERCPU__REF_ATOMIC;

	if (flags != 0)
		word |= PERCPU__REF_REINIT;
	if ((flags & PERCPU_REF_ADAPTIVE) != 0)
		word |= PERCPU__REF_ADAPTS;
	if ((flags & PERCPU_REF_INIT_ATOMIC) != 0)
		word |= PERCPU__REF_STICKY;
	if ((flags & PERCPU_REF_INIT_DEAD) != 0)
		return word | PERCPU__REF_DEAD;
	return word + PERCPU__REF_ONE;
}

int percpu_ref_init(struct percpu_ref *r, percpu_ref_fn *release,
		    unsigned flags)
{
	void PERCPU *h = NULL;

	if (release == NULL || (flags & ~(unsigned)FLAGS) != 0)
		return -EINVAL;
	percpu__ref_fork_watch();
	if ((flags & ~(unsigned)PERCPU_REF_ALLOW_REINIT) == 0 &&
	    percpu__ref_percpu_can()) {
		h = percpu__ref_percpu_handle();
		if (h == NULL)
			return -ENOMEM;
	}
	if ((flags & PERCPU_REF_ADAPTIVE) != 0)
		percpu__ref_adapt_start();
	r->guarded.handle = (void PERCPU *)(uintptr_t)release;
	__atomic_store_n(&r->guarded.word, first_word(flags), __ATOMIC_RELEASE);
	if (h != NULL)
		percpu__ref_percpu_start(r, h);
	return 0;
}

/* Whether @word is killed, by a thread that will end that. */
static bool is_killed(uint64_t word)
{
	return (word & PERCPU__REF_DEAD) != 0 &&
	       !((word & PERCPU__REF_KILLING) != 0 &&
		 percpu__ref_is_left(word));
}

/* Mark @r as killed; whether it was not. */
static bool mark(struct percpu_ref *r)
{
	uint64_t word;
	uint64_t new;

	if (!percpu__ref_is_made(r, "percpu_ref_kill"))
		return false;
	percpu__ref_fork_inherit(r);
	word = percpu__ref_load(r);
	do {
		if (is_killed(word)) {
			percpu__ref_misuse(r, "percpu_ref_kill",
					   "is killed twice");
			return false;
		}
		new = percpu__ref_own(word | PERCPU__REF_DEAD |
				      PERCPU__REF_KILLING);
		if (percpu__ref_is_percpu(word))
			new = (new & ~(uint64_t)PERCPU__REF_ASKED) |
			      PERCPU__REF_ATOMIC | PERCPU__REF_FOLDING;
	} while (!percpu__ref_change(r, &word, new));
	return true;
}

static bool is_folding(const struct percpu_ref *r)
{
	return (percpu__ref_load(r) & PERCPU__REF_FOLDING) != 0;
}

/* Drop the reference of init of @r, which others promote, or none. */
static void drop_first(struct percpu_ref *r)
{
	uint64_t word = percpu__ref_load(r);
	uint64_t new;

	do {
		new = percpu__ref_rest(word & ~(uint64_t)PERCPU__REF_KILLING) -
		      PERCPU__REF_ONE;
		if (percpu__ref_is_biased(word))
			continue;
		if (percpu__ref_count(word) <= 0) {
			percpu__ref_clear(r, PERCPU__REF_KILLING, 0);
			percpu__ref_misuse(r, "percpu_ref_kill",
					   "had reached zero already");
			return;
		}
	} while (!percpu__ref_change(r, &word, new));
	if (!percpu__ref_is_biased(new) && percpu__ref_count(new) == 0)
		percpu__ref_release(r, new);
}

/* After mark(), the fence and confirm. */
static void finish(struct percpu_ref *r)
{
	bool keep = (percpu__ref_load(r) & PERCPU__REF_REINIT) != 0;
	struct percpu__ref_folded f;

	if (!is_folding(r) ||
	    !percpu__ref_fold_alone(r,
				    PERCPU__REF_KILLING | PERCPU__REF_DEMOTER,
				    1, keep, &f)) {
		drop_first(r);
		return;
	}
	percpu__ref_retire_free(f.left);
	if (percpu__ref_count(f.word) == 0)
		percpu__ref_release(r, f.word);
}

/* Fence after marks; without it nothing is folded, and nothing released. */
static bool fence(void)
{
	if (percpu_fence() == 0)
		return true;
	percpu__message("percpu_ref_kill: the kernel has refused a fence; "
			"what was killed is never released");
	return false;
}

void percpu_ref_kill_and_confirm(struct percpu_ref *r, percpu_ref_fn *confirm)
{
	bool adapts = (percpu__ref_load(r) & PERCPU__REF_ADAPTS) != 0;

	if (!mark(r) || (is_folding(r) && !fence()))
		return;
	if (confirm != NULL)
		confirm(r);
	finish(r);
	if (adapts)
		percpu__ref_adapt_step();
}

void percpu_ref_kill(struct percpu_ref *r)
{
	percpu_ref_kill_and_confirm(r, NULL);
}

/* Whether refs[i] comes before place @i, too: a program's mistake. */
static bool repeated(struct percpu_ref *const *refs, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (refs[k] == refs[i])
			return true;
	return false;
}

void percpu_ref_kill_many(struct percpu_ref *const *refs, size_t n)
{
	bool folding = false;
	bool once = true;
	bool fenced;

	for (size_t i = 0; i < n; i++) {
		once = mark(refs[i]) && once;
		folding = folding || is_folding(refs[i]);
	}
	fenced = !folding || fence();
	for (size_t i = 0; i < n; i++)
		if ((fenced || !is_folding(refs[i])) &&
		    (once ||
		     (!repeated(refs, i) &&
		      (percpu__ref_load(refs[i]) & PERCPU__REF_KILLING) != 0)))
			finish(refs[i]);
	percpu__ref_adapt_step();
}

/* End @r; the handle that it had, unless that is for adaptive ones. */
static void PERCPU *end(struct percpu_ref *r)
{
	void PERCPU *h = NULL;
	uint64_t word;

	percpu__ref_adapt_lock();
	word = percpu__ref_load(r);
	if ((word & PERCPU__REF_HANDLE) != 0)
		h = r->guarded.handle;
	r->guarded.handle = NULL;
	__atomic_store_n(&r->guarded.word,
			 PERCPU__REF_ATOMIC | PERCPU__REF_DEAD,
			 __ATOMIC_RELEASE);
	if (h != NULL)
		percpu__ref_owner_forget(h);
	if (h != NULL && (word & PERCPU__REF_ADAPTS) != 0) {
		percpu__ref_adapt_retire(h);
		h = NULL;
	}
	percpu__ref_adapt_unlock();
	return h;
}

int percpu_ref_exit(struct percpu_ref *r)
{
	int64_t n;

	if (percpu__ref_load(r) == 0)
		return 0;
	percpu__ref_switch_wait(r);
	n = percpu_ref_val(r);
	if (n != 0 && (percpu_ref_is_dying(r) || n != 1)) {
		percpu__ref_misuse(r, "percpu_ref_exit", "is not released");
		return -EBUSY;
	}
	percpu__ref_retire_free(end(r));
	return 0;
}
