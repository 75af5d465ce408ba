/* SPDX-License-Identifier: MIT */
#ifndef PERCPU_SRC_REF_H
#define PERCPU_SRC_REF_H
/*
 * ref.h: the word of a reference, and what its files have in common.
 *
 *   63                     31 30   25 24  20 19  11 10                0
 *   +------------------------+-------+------+------+-------------------+
 *   | count, and the bias    | since | last | heat | marks             |
 *   |                        | or process          |                   |
 *   +------------------------+---------------------+-------------------+
 *
 * Marks, counts and the bias change together, by one compare-and-swap. The bias
 * is in the count of a word that is BIASED: while it counts per CPU, and until
 * whoever ends that has added the slots. It keeps the word from zero, so
 * whoever brings a word to zero knows that this was the last reference.
 */
#include "mutex.h"

#include <percpu/ref.h>

#include <stdbool.h>

enum {
	PERCPU__REF_DEAD = 1 << 1,
	/* Sections have been told off; slots are not added yet. */
	PERCPU__REF_FOLDING = 1 << 2,
	/* One thread, which has a reference, makes it count per CPU. */
	PERCPU__REF_PROMOTING = 1 << 3,
	/* Asked whether it is idle: the next to use it takes ATOMIC away. */
	PERCPU__REF_ASKED = 1 << 4,
	/* Beside the word is a handle, else the release function. */
	PERCPU__REF_HANDLE = 1 << 5,
	/* Atomic by the owner's will. */
	PERCPU__REF_STICKY = 1 << 6,
	PERCPU__REF_ADAPTS = 1 << 7,
	PERCPU__REF_REINIT = 1 << 8,
	/* Killed; the reference of init is not dropped yet. */
	PERCPU__REF_KILLING = 1 << 9,
	/* FOLDING is the library's own work: see ref_adapt.c. */
	PERCPU__REF_DEMOTER = 1 << 10,
	/* Of adaptive ones that are atomic: see ref_adapt.c. */
	PERCPU__REF_WARMTH = 1 << 11, /* one degree */
	PERCPU__REF_HEAT = 511 << 11,
	PERCPU__REF_CPU = 1 << 20,
	PERCPU__REF_LAST = 31 << 20,
	PERCPU__REF_TICK = 1 << 25,
	PERCPU__REF_SINCE = 63 << 25,
	/* While somebody promotes, folds or kills: in which process. */
	PERCPU__REF_FORK = 1 << 11,
	PERCPU__REF_FORKS =
		PERCPU__REF_HEAT | PERCPU__REF_LAST | PERCPU__REF_SINCE,
	PERCPU__REF_WORK = PERCPU__REF_FOLDING | PERCPU__REF_PROMOTING |
			   PERCPU__REF_KILLING
};

#define PERCPU__REF_SHIFT 31
#define PERCPU__REF_ONE (1ull << PERCPU__REF_SHIFT)
#define PERCPU__REF_BIAS (1ull << 62)

/* What lies in the shared slot of a handle, which never counts. */
struct percpu__ref_shared {
	uint64_t release; /* as ref_owner.c has it */
	/* From here on of adaptive ones only: those of ref_adapt.c. */
	uint64_t owner;
	void PERCPU *next;
};

static inline uint64_t percpu__ref_load(const struct percpu_ref *r)
{
	return __atomic_load_n(&r->guarded.word, __ATOMIC_ACQUIRE);
}

/* The word from *@old to @new; else *@old is what it is. */
static inline bool percpu__ref_change(struct percpu_ref *r, uint64_t *old,
				      uint64_t new)
{
	return __atomic_compare_exchange_n(&r->guarded.word, old, new, false,
					   __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}

/* Whether it counts per CPU, though sections may have been told to ask. */
static inline bool percpu__ref_is_percpu(uint64_t word)
{
	return (word & PERCPU__REF_ATOMIC) == 0 ||
	       (word & PERCPU__REF_ASKED) != 0;
}

static inline bool percpu__ref_is_biased(uint64_t word)
{
	return percpu__ref_is_percpu(word) ||
	       (word & (PERCPU__REF_FOLDING | PERCPU__REF_PROMOTING)) != 0;
}

/* The count of a word, below zero if too many were put; with the bias. */
static inline int64_t percpu__ref_count(uint64_t word)
{
	return (int64_t)word >> PERCPU__REF_SHIFT;
}

static inline bool percpu__ref_is_zero(uint64_t word)
{
	return !percpu__ref_is_biased(word) && percpu__ref_count(word) == 0;
}

/* @word, which has a mark of work, with this process as whose that is. */
static inline uint64_t percpu__ref_own(uint64_t word)
{
	uint64_t mine = percpu__mutex_family() / 2 * PERCPU__REF_FORK;

	return (word & ~(uint64_t)PERCPU__REF_FORKS) |
	       (mine & PERCPU__REF_FORKS);
}

/* Whether a thread was at work when this process was forked from its. */
static inline bool percpu__ref_is_left(uint64_t word)
{
	return (word & PERCPU__REF_WORK) != 0 && word != percpu__ref_own(word);
}

/* ref.c */

/* Change the word of @r: @marks away, @n added. */
void percpu__ref_clear(struct percpu_ref *r, uint64_t marks, uint64_t n);

/* @word after marks went away: without any of work it is nobody's. */
static inline uint64_t percpu__ref_rest(uint64_t word)
{
	return (word & PERCPU__REF_WORK) != 0 ?
		       word :
		       word & ~(uint64_t)PERCPU__REF_FORKS;
}

struct percpu__ref_shared *percpu__ref_shared(void PERCPU *h);

/* The sum of the slots of @h. */
uint64_t percpu__ref_slots(void PERCPU *h);

/* The program's mistake: @what happened to @r. Returns if it may go on. */
void percpu__ref_misuse(const struct percpu_ref *r, const char *function,
			const char *what);

/* False if @r is zeros: a mistake of the program's, named as @function's. */
bool percpu__ref_is_made(const struct percpu_ref *r, const char *function);

/* Call release for @r, of which @word, without a reference, is the word. */
void percpu__ref_release(struct percpu_ref *r, uint64_t word);

/*
 * Put @n references. True if none is left: then release was not called, and
 * the caller does what it would do.
 */
bool percpu__ref_put_last(struct percpu_ref *r, uint64_t n);

/* ref_owner.c */

/* This process, in bits that addresses leave free; 0 if it has no number. */
uint64_t percpu__ref_owner_process(void);

/* @r and this process in 56 bits; 0 if the address of @r is a longer one. */
uint64_t percpu__ref_owner_pack(const struct percpu_ref *r);

/* Whom @packed names, if that was done in @process; or NULL. */
struct percpu_ref *percpu__ref_owner_of(uint64_t packed, uint64_t process);

/* @r, of which @release is the function, is to count in the slots of @h. */
void percpu__ref_owner_set(void PERCPU *h, struct percpu_ref *r,
			   percpu_ref_fn *release);

/* What was set; NULL if that was forgotten, or had no room. */
struct percpu_ref *percpu__ref_owner(void PERCPU *h);

/* Whether it is there: not if a parent of this process has set it. */
bool percpu__ref_owner_is_known(void PERCPU *h);
percpu_ref_fn *percpu__ref_owner_release(void PERCPU *h);

/*
 * Nobody looks from @h at its owner any more. Under the lock of ref_adapt.c,
 * before the owner may be gone.
 */
void percpu__ref_owner_forget(void PERCPU *h);

/* The same, and @r, which has @h no more, has the release function itself. */
void percpu__ref_owner_leave(void PERCPU *h, struct percpu_ref *r);

/* ref_retire.c */

/* Pages of @h on gone CPUs may go. Not of adaptive references. */
void percpu__ref_retire_agree(void PERCPU *h);

/* Free @h, which may have agreed, or is NULL; not under a lock. */
void percpu__ref_retire_free(void PERCPU *h);

/* What folding made of a reference. */
struct percpu__ref_folded {
	uint64_t word;	   /* what it was made */
	void PERCPU *left; /* the handle, if it is not its any more */
};

/*
 * End counting per CPU in @h, or NULL if its slots are added already: @r is
 * FOLDING, and fenced.
 * Adds the slots to the word, takes the bias, @marks and @n references away,
 * and, unless @keep, the handle. Under the lock of ref_adapt.c. If that left no
 * reference the caller calls percpu__ref_release() after it; otherwise @r may
 * be gone already.
 */
struct percpu__ref_folded percpu__ref_fold(struct percpu_ref *r, void PERCPU *h,
					   uint64_t marks, uint64_t n,
					   bool keep);

/*
 * The same with that lock taken in between. False, and nothing is done, if
 * nobody folds @r any more when it is.
 */
bool percpu__ref_fold_alone(struct percpu_ref *r, uint64_t marks, uint64_t n,
			    bool keep, struct percpu__ref_folded *out);

/* ref_percpu.c */

/* Zero in all slots. Those that were never written take no memory by that. */
void percpu__ref_percpu_clean(void PERCPU *h);

/* Whether a reference may count per CPU here. Not for handlers. */
bool percpu__ref_percpu_can(void);

/* The same for handlers: what percpu__ref_percpu_can() has found, or false. */
bool percpu__ref_percpu_could(void);

/* Mark @r as PROMOTING; false if it is not plainly atomic, or is not to be. */
bool percpu__ref_percpu_begin(struct percpu_ref *r);

/*
 * Count per CPU from now on, in the slots of @h: @r is PROMOTING by the
 * caller's mark, and the caller has a reference. False if it was killed or made
 * STICKY meanwhile: it stays atomic, and a handle that it did not have before
 * is still the caller's.
 */
bool percpu__ref_percpu_enter(struct percpu_ref *r, void PERCPU *h);

/* Stay atomic, for want of a handle: @r is PROMOTING by the caller's mark. */
void percpu__ref_percpu_stop(struct percpu_ref *r);

/* Both; and a handle for one that is not adaptive, or NULL. */
bool percpu__ref_percpu_start(struct percpu_ref *r, void PERCPU *h);
void PERCPU *percpu__ref_percpu_handle(void);

/* ref_switch.c */

/* Wait until nobody folds @r, which is not killed. */
void percpu__ref_switch_wait(struct percpu_ref *r);

/* ref_fork.c */

/* Children of fork can be told from now on. Before any reference is there. */
void percpu__ref_fork_watch(void);

/*
 * End what a thread had begun on @r that did not come along to this child of
 * fork; but for a kill, which percpu_ref_kill() takes up. The caller has a
 * reference, or there is none.
 */
void percpu__ref_fork_inherit(struct percpu_ref *r);

/* Let the release function be beside the word of @r, which has no HANDLE. */
void percpu__ref_fork_mend(struct percpu_ref *r);

/* ref_heat.c */

/* Whether @word is that of an adaptive reference that is atomic for now. */
static inline bool percpu__ref_heat_feels(uint64_t word)
{
	return (word & (PERCPU__REF_ADAPTS | PERCPU__REF_ATOMIC |
			PERCPU__REF_DEAD | PERCPU__REF_STICKY)) ==
		       (PERCPU__REF_ADAPTS | PERCPU__REF_ATOMIC) &&
	       !percpu__ref_is_biased(word);
}

/* @word, which feels, after this CPU has changed it. */
uint64_t percpu__ref_heat_warm(uint64_t word);

/*
 * @r was made as hot as it gets, @word, by the caller, who has a reference:
 * let it count per CPU if that did not take long.
 */
void percpu__ref_heat_hot(struct percpu_ref *r, uint64_t word);

/* ref_adapt.c */

/* There is an adaptive reference more. Not for handlers. */
void percpu__ref_adapt_start(void);

/* Now and then, where that may allocate and wait: demote, and fill up. */
void percpu__ref_adapt_step(void);

/* A look at all that count per CPU; what was idle since the last is demoted. */
void percpu__ref_adapt_settle(void);

/* Let @r count per CPU, if a handle is ready; the caller has a reference. */
void percpu__ref_adapt_promote(struct percpu_ref *r);

/*
 * The handle @h of an adaptive reference is not its any more; locked, or nobody
 * in this process looks at its owner.
 */
void percpu__ref_adapt_retire(void PERCPU *h);

/*
 * The lock guards handles of references against being freed, or given to
 * others, while somebody reads their slots; and adaptive references against
 * exit while they are demoted. A leaf: under it nothing is allocated, freed or
 * called back. A fork does not wait for it.
 */
void percpu__ref_adapt_lock(void);
void percpu__ref_adapt_unlock(void);

#endif
