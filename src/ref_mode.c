/* SPDX-License-Identifier: MIT */
/*
 * ref_mode.c: what the owner of a reference does to it: init, kill, switch,
 * reinit, exit.
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
 * A kill does not wait: where the library is demoting the reference at the
 * moment, or another thread is promoting it, the word has the bias of that; the
 * kill marks it and takes its own reference away, and who began ends it.
 */
#include "ref.h"

#include "message.h"
#include "os.h"

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

static void PERCPU *new_handle(void)
{
	return percpu_alloc(sizeof(uint64_t), sizeof(uint64_t));
}

/* Let @r, which is plainly atomic, count per CPU in the slots of @h. */
static bool enter(struct percpu_ref *r, void PERCPU *h)
{
	return percpu__ref_percpu_begin(r) && percpu__ref_percpu_enter(r, h);
}

int percpu_ref_init(struct percpu_ref *r, percpu_ref_fn *release,
		    unsigned flags)
{
	void PERCPU *h = NULL;

	if (release == NULL || (flags & ~(unsigned)FLAGS) != 0)
		return -EINVAL;
	if ((flags & ~(unsigned)PERCPU_REF_ALLOW_REINIT) == 0 &&
	    percpu__ref_percpu_can()) {
		h = new_handle();
		if (h == NULL)
			return -ENOMEM;
	}
	if ((flags & PERCPU_REF_ADAPTIVE) != 0)
		percpu__ref_adapt_start();
	r->guarded.handle = (void PERCPU *)(uintptr_t)release;
	__atomic_store_n(&r->guarded.word, first_word(flags), __ATOMIC_RELEASE);
	if (h != NULL)
		enter(r, h);
	return 0;
}

/* Mark @r as killed; whether it was not. */
static bool mark(struct percpu_ref *r)
{
	uint64_t word = percpu__ref_load(r);
	uint64_t new;

	do {
		if ((word & PERCPU__REF_DEAD) != 0) {
			percpu__ref_misuse(r, "percpu_ref_kill",
					   "is killed twice");
			return false;
		}
		new = word | PERCPU__REF_DEAD | PERCPU__REF_KILLING;
		if (percpu__ref_is_percpu(word))
			new = (new & ~(uint64_t)PERCPU__REF_ASKED) |
			      PERCPU__REF_ATOMIC | PERCPU__REF_FOLDING;
	} while (!percpu__ref_change(r, &word, new));
	return true;
}

/* Drop the reference of init of @r, which others promote or demote, or none. */
static void drop_first(struct percpu_ref *r)
{
	uint64_t word = percpu__ref_load(r);
	uint64_t new;

	do {
		new = (word & ~(uint64_t)PERCPU__REF_KILLING) - PERCPU__REF_ONE;
		if (percpu__ref_is_biased(word))
			continue;
		if (percpu__ref_count(word) <= 0) {
			percpu__ref_misuse(r, "percpu_ref_kill",
					   "had reached zero already");
			return;
		}
	} while (!percpu__ref_change(r, &word, new));
	if (!percpu__ref_is_biased(new) && percpu__ref_count(new) == 0)
		percpu__ref_release(r, new);
}

static struct percpu__ref_folded fold(struct percpu_ref *r, uint64_t marks,
				      uint64_t n, bool keep)
{
	struct percpu__ref_folded f;

	percpu__ref_adapt_lock();
	f = percpu__ref_fold(r, marks, n, keep);
	percpu__ref_adapt_unlock();
	return f;
}

/* After mark(), the fence and confirm. */
static void finish(struct percpu_ref *r)
{
	uint64_t word = percpu__ref_load(r);
	struct percpu__ref_folded f;

	if ((word & (PERCPU__REF_FOLDING | PERCPU__REF_DEMOTER)) !=
	    PERCPU__REF_FOLDING) {
		drop_first(r);
		return;
	}
	f = fold(r, PERCPU__REF_KILLING, 1, (word & PERCPU__REF_REINIT) != 0);
	if (f.left != NULL)
		percpu_free(f.left);
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

static bool is_folding(const struct percpu_ref *r)
{
	return (percpu__ref_load(r) & PERCPU__REF_FOLDING) != 0;
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

	for (size_t i = 0; i < n; i++) {
		once = mark(refs[i]) && once;
		folding = folding || is_folding(refs[i]);
	}
	if (folding && !fence())
		return;
	for (size_t i = 0; i < n; i++)
		if (once || (!repeated(refs, i) &&
			     (percpu__ref_load(refs[i]) & PERCPU__REF_KILLING)))
			finish(refs[i]);
	percpu__ref_adapt_step();
}

/*
 * Wait until nobody folds @r. What is demoted is so at once after this, also in
 * a child of fork whose parent had begun it.
 */
static void wait(const struct percpu_ref *r)
{
	uint64_t word;

	while (((word = percpu__ref_load(r)) & PERCPU__REF_FOLDING) != 0)
		if ((word & PERCPU__REF_DEMOTER) != 0)
			percpu__ref_adapt_settle();
		else
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
		wait(r);
	} else if (percpu_fence() == 0) {
		f = fold(r, 0, 0, true);
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
		*h = new_handle();
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
		enter(r, h);
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
		enter(r, h);
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

/* End @r; the handle that it had, and whether that is an adaptive one's. */
static void PERCPU *end(struct percpu_ref *r, bool *adapts)
{
	void PERCPU *h = NULL;
	uint64_t word;

	percpu__ref_adapt_lock();
	word = percpu__ref_load(r);
	if ((word & PERCPU__REF_HANDLE) != 0)
		h = r->guarded.handle;
	*adapts = (word & PERCPU__REF_ADAPTS) != 0;
	r->guarded.handle = NULL;
	__atomic_store_n(&r->guarded.word,
			 PERCPU__REF_ATOMIC | PERCPU__REF_DEAD,
			 __ATOMIC_RELEASE);
	percpu__ref_adapt_unlock();
	return h;
}

int percpu_ref_exit(struct percpu_ref *r)
{
	int64_t n = percpu_ref_val(r);
	void PERCPU *h;
	bool adapts;

	if (n != 0 && (percpu_ref_is_dying(r) || n != 1)) {
		percpu__ref_misuse(r, "percpu_ref_exit", "is not released");
		return -EBUSY;
	}
	wait(r);
	h = end(r, &adapts);
	if (h != NULL && adapts)
		percpu__ref_adapt_retire(h);
	else
		percpu_free(h);
	return 0;
}
