/* SPDX-License-Identifier: MIT */
/*
 * ref.c: getting and putting references by the word, where a section may not
 * count, or cannot.
 *
 *              word                        slots of the handle
 *   per CPU    bias + direct               what sections counted
 *   folding    bias + direct               fenced, and added to the word
 *   atomic     the count                   nothing
 *
 * ref.h of this directory has the bits of the word; DESIGN.md, section 14,
 * numbers the argument. Threads that run no section, and every thread of an
 * atomic reference, change the word, and only that: a compare-and-swap that
 * finds other marks than it looked at fails, and looks again.
 */
#include "ref.h"

#include "annot.h"
#include "guarded.h"
#include "misuse.h"
#include "slot.h"

struct percpu__ref_shared *percpu__ref_shared(void PERCPU *h)
{
	return percpu__slot_object(h, percpu__rt.nr_slots);
}

uint64_t percpu__ref_slots(void PERCPU *h)
{
	const uint64_t *slot = percpu__slot_object(h, 0);
	uint64_t sum = 0;

	for (uint32_t left = percpu__rt.nr_slots; left > 0; left--) {
		sum += __atomic_load_n(slot, __ATOMIC_RELAXED);
		slot += percpu__rt.stride / sizeof(*slot);
	}
	return sum;
}

void percpu__ref_misuse(const struct percpu_ref *r, const char *function,
			const char *what)
{
	percpu__misuse("", "%s(%p): the reference %s", function,
		       (const void *)r, what);
}

bool percpu__ref_is_made(const struct percpu_ref *r, const char *function)
{
	if (__builtin_expect(percpu__ref_load(r) != 0, 1))
		return true;
	percpu__ref_misuse(r, function, "was never made");
	return false;
}

void percpu__ref_release(struct percpu_ref *r, uint64_t word)
{
	void PERCPU *h = __atomic_load_n(&r->guarded.handle, __ATOMIC_RELAXED);

	percpu__annot_tsan_acquire(r);
	if ((word & PERCPU__REF_HANDLE) != 0)
		percpu__ref_owner_release(h)(r);
	else
		((percpu_ref_fn *)(uintptr_t)h)(r);
}

/* By a section, if @word lets it; ThreadSanitizer would not see that. */
static bool counted(struct percpu_ref *r, uint64_t word, uint64_t n)
{
#ifdef PERCPU__TSAN
	(void)r;
	(void)word;
	(void)n;
	return false;
#else
	return (word & PERCPU__REF_ATOMIC) == 0 &&
	       percpu__guarded_add(&r->guarded, PERCPU__REF_ATOMIC, n) ==
		       PERCPU__COMMITTED;
#endif
}

/* Add @n to the count of @word; who was asked whether it is idle is not. */
static uint64_t changed(uint64_t word, uint64_t n)
{
	if ((word & PERCPU__REF_ASKED) != 0)
		word &= ~(uint64_t)(PERCPU__REF_ASKED | PERCPU__REF_ATOMIC);
	if (percpu__ref_heat_feels(word))
		word = percpu__ref_heat_warm(word);
	return word + n * PERCPU__REF_ONE;
}

/*
 * Take @n references of @r, whose word was @word, unless it is at zero or has
 * one of @marks.
 */
static bool take(struct percpu_ref *r, uint64_t word, uint64_t n,
		 uint64_t marks)
{
	uint64_t new;

	do {
		if ((word & marks) != 0 || (!percpu__ref_is_biased(word) &&
					    percpu__ref_count(word) <= 0))
			return false;
		new = changed(word, n);
	} while (!percpu__ref_change(r, &word, new));
	if ((new &PERCPU__REF_HEAT) == PERCPU__REF_HEAT &&
	    percpu__ref_heat_feels(new))
		percpu__ref_heat_hot(r, new);
	return true;
}

void percpu__ref_get(struct percpu_ref *r, uint64_t n)
{
	uint64_t word = percpu__ref_load(r);

	if (!percpu__ref_is_made(r, "percpu_ref_get"))
		return;
	if (!counted(r, word, n) && !take(r, percpu__ref_load(r), n, 0))
		percpu__ref_misuse(r, "percpu_ref_get",
				   "had reached zero already");
}

bool percpu__ref_tryget(struct percpu_ref *r, uint64_t n)
{
	uint64_t word = percpu__ref_load(r);

	return percpu__ref_is_made(r, "percpu_ref_tryget") &&
	       (counted(r, word, n) || take(r, percpu__ref_load(r), n, 0));
}

bool percpu__ref_tryget_live(struct percpu_ref *r)
{
	uint64_t word = percpu__ref_load(r);

	return percpu__ref_is_made(r, "percpu_ref_tryget_live") &&
	       (counted(r, word, 1) ||
		take(r, percpu__ref_load(r), 1, PERCPU__REF_DEAD));
}

/* Put @n references; the word if that left none, 0 if others are there. */
static uint64_t put(struct percpu_ref *r, uint64_t n)
{
	uint64_t word = percpu__ref_load(r);
	bool biased;
	uint64_t new;

	percpu__annot_tsan_release(r);
	if (!percpu__ref_is_made(r, "percpu_ref_put") || n == 0 ||
	    counted(r, word, 0 - n))
		return 0;
	word = percpu__ref_load(r);
	do {
		biased = percpu__ref_is_biased(word);
		if (!biased && (percpu__ref_count(word) < 0 ||
				(uint64_t)percpu__ref_count(word) < n)) {
			percpu__ref_misuse(r, "percpu_ref_put",
					   "is put below zero");
			return 0;
		}
		new = changed(word, 0 - n);
	} while (!percpu__ref_change(r, &word, new));
	return !biased && percpu__ref_count(new) == 0 ? new : 0;
}

void percpu__ref_put(struct percpu_ref *r, uint64_t n)
{
	uint64_t word = put(r, n);

	if (word != 0)
		percpu__ref_release(r, word);
}

bool percpu__ref_put_last(struct percpu_ref *r, uint64_t n)
{
	bool last = put(r, n) != 0;

	if (last)
		percpu__annot_tsan_acquire(r);
	return last;
}

void percpu__ref_clear(struct percpu_ref *r, uint64_t marks, uint64_t n)
{
	uint64_t word = percpu__ref_load(r);

	while (!percpu__ref_change(
		r, &word,
		percpu__ref_rest((word & ~marks) + n * PERCPU__REF_ONE)))
		;
}

/*
 * Add the slots of @h, which is @r's no more, to the word, and put back beside
 * it what was there before. The word tells a child of fork whether they are
 * added already.
 */
static void drop(struct percpu_ref *r, void PERCPU *h)
{
	uint64_t word = percpu__ref_load(r);
	uint64_t sum = percpu__ref_slots(h);

	while ((word & PERCPU__REF_HANDLE) != 0 &&
	       !percpu__ref_change(r, &word,
				   (word & ~(uint64_t)PERCPU__REF_HANDLE) +
					   sum * PERCPU__REF_ONE))
		;
	percpu__ref_owner_leave(h, r);
}

struct percpu__ref_folded percpu__ref_fold(struct percpu_ref *r, void PERCPU *h,
					   uint64_t marks, uint64_t n,
					   bool keep)
{
	struct percpu__ref_folded f = { 0, keep ? NULL : h };
	uint64_t sum = keep && h != NULL ? percpu__ref_slots(h) : 0;
	uint64_t word;
	bool below;

	if (!keep && h != NULL)
		drop(r, h);
	word = percpu__ref_load(r);
	marks |= PERCPU__REF_FOLDING;
	do {
		f.word = word + (sum - n) * PERCPU__REF_ONE - PERCPU__REF_BIAS;
		f.word = percpu__ref_rest(f.word & ~marks);
		below = percpu__ref_count(f.word) < 0;
		if (below)
			f.word &= PERCPU__REF_ONE - 1;
	} while (!percpu__ref_change(r, &word, f.word));
	/* A child of fork takes a handle without an owner for idle. */
	if (keep && h != NULL)
		percpu__ref_owner_forget(h);
	if (below)
		percpu__ref_misuse(r, "percpu_ref_kill",
				   "was put more often than it was taken");
	return f;
}

bool percpu__ref_fold_alone(struct percpu_ref *r, uint64_t marks, uint64_t n,
			    bool keep, struct percpu__ref_folded *out)
{
	void PERCPU *h = NULL;
	uint64_t word;
	bool folding;

	percpu__ref_adapt_lock();
	word = percpu__ref_load(r);
	folding = (word & PERCPU__REF_FOLDING) != 0;
	if (folding) {
		if ((word & PERCPU__REF_HANDLE) != 0)
			h = r->guarded.handle;
		else
			percpu__ref_fork_mend(r);
		*out = percpu__ref_fold(r, h, marks, n, keep);
	}
	percpu__ref_adapt_unlock();
	return folding;
}

bool percpu_ref_is_dying(const struct percpu_ref *r)
{
	return (percpu__ref_load(r) & PERCPU__REF_DEAD) != 0;
}

bool percpu_ref_is_zero(const struct percpu_ref *r)
{
	return percpu__ref_is_zero(percpu__ref_load(r));
}

int64_t percpu_ref_val(const struct percpu_ref *r)
{
	uint64_t word;
	uint64_t sum;

	percpu__ref_adapt_lock();
	do {
		word = percpu__ref_load(r);
		sum = (uint64_t)percpu__ref_count(word);
		if (percpu__ref_is_biased(word))
			sum -= PERCPU__REF_BIAS / PERCPU__REF_ONE;
		if ((word & PERCPU__REF_HANDLE) != 0 &&
		    (percpu__ref_is_percpu(word) ||
		     (word & (PERCPU__REF_FOLDING | PERCPU__REF_PROMOTING)) ==
			     PERCPU__REF_FOLDING))
			sum += percpu__ref_slots(__atomic_load_n(
				&r->guarded.handle, __ATOMIC_RELAXED));
	} while (percpu__ref_load(r) != word);
	percpu__ref_adapt_unlock();
	/* What the word has, it has modulo so many. */
	return percpu__ref_count(sum * PERCPU__REF_ONE);
}
