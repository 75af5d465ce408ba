/* SPDX-License-Identifier: MIT */
/*
 * ref_adapt.c: adaptive references: atomic words that count per CPU while they
 * are contended, with handles that are kept ready for them.
 *
 *               hot, a handle is ready
 *   atomic ------------------------------> per CPU <------------.
 *     ^                                       | a look          | used
 *     |    a look, FOLDING, a fence for all   v                 |
 *     '------------------------------------ ASKED --------------'
 *
 * Hot: ref_heat.c says when.
 *
 * Idle: sections leave no trace of gets and puts that cancel out. So a look
 * sets ASKED with ATOMIC, which needs no fence, since slots still count: the
 * next to come takes a longer way once, and clears both. What a second look
 * finds ASKED was idle in between.
 *
 * Looks come where a program may wait: in init and kill of adaptive references
 * when a promoter has found no handle, and in percpu_trim(). Promotion itself
 * may be in a signal handler, and takes a handle from a reserve, or stays
 * atomic until there is one. Handles are 24 bytes per CPU, of which the shared
 * slot's have the owner, and the list of all handles that ever had one.
 *
 * The list: handles are added by a compare-and-swap of its head and never leave
 * it. owner is set by a promoter when it is done, who still has a reference,
 * and cleared under the lock, by exit or by who demotes: so under the lock an
 * owner's memory is there. One whose address is longer than most (a tagged one,
 * on AArch64) is not kept: nobody looks at it.
 *
 * Fork: a child finds the lock free. It looks at no owner of its parent's: that
 * memory may be gone (ref_owner.c). It does after it has promoted that itself.
 * What counts per CPU goes on so; what the parent was demoting is ended when it
 * is killed or switched (ref_fork.c). Nothing dead is left so: a kill drops its
 * reference when it is folded. A handle that a thread of the parent had taken,
 * from a reserve or an owner, and that nobody knows of, is lost.
 *
 * Rejected: that the first to have the lock in a child looks at all owners, and
 * ends at once what is left, and finds what is lost: it followed addresses of
 * stacks that were gone.
 */
#include "ref.h"

#include "exit.h"
#include "reserve.h"
#include "trim.h"

#include <percpu/alloc.h>
#include <percpu/cpu.h>

#define RESERVES 4u
#define READY (RESERVES * PERCPU__RESERVE)
#define RELEASES 16u /* at a time */

#define EMPTY                                                                  \
	{                                                                      \
		.size = sizeof(struct percpu__ref_shared), .align = 8          \
	}
static struct percpu__reserve reserve[RESERVES] = { EMPTY, EMPTY, EMPTY,
						    EMPTY };

/* The end of the list. */
static char nothing;
#define END ((void PERCPU *)(uintptr_t)&nothing)

/* Owners: none that is known; and of a handle no reserve had room for. */
#define NONE 0u
#define SPARE 1u

static void PERCPU *handles = END;
static uint32_t references; /* adaptive ones so far, up to READY */
static bool wanted;	    /* a promoter has found no handle */

/*
 * Held for a look at the slots of one reference, while one fences, or retires
 * those of a chunk (ref_retire.c).
 */
static struct percpu__mutex lock;

static void PERCPU *take_handle(void)
{
	void PERCPU *h = NULL;

	for (unsigned i = 0; h == NULL && i < RESERVES; i++)
		h = percpu__reserve_take(&reserve[i]);
	return h;
}

static uint64_t owner(void PERCPU *h)
{
	return __atomic_load_n(&percpu__ref_shared(h)->owner, __ATOMIC_ACQUIRE);
}

static void set_owner(void PERCPU *h, uint64_t packed)
{
	__atomic_store_n(&percpu__ref_shared(h)->owner, packed,
			 __ATOMIC_RELEASE);
}

/* @h has no owner any more. */
static void give_back(void PERCPU *h)
{
	set_owner(h, NONE);
	for (unsigned i = 0; i < RESERVES; i++)
		if (percpu__reserve_put(&reserve[i], h))
			return;
	set_owner(h, SPARE);
}

static void PERCPU *next(void PERCPU *h)
{
	return __atomic_load_n(&percpu__ref_shared(h)->next, __ATOMIC_RELAXED);
}

static void PERCPU *first(void)
{
	return __atomic_load_n(&handles, __ATOMIC_ACQUIRE);
}

void percpu__ref_adapt_lock(void)
{
	percpu__mutex_take(&lock);
}

void percpu__ref_adapt_unlock(void)
{
	percpu__mutex_drop(&lock);
}

/* Put @h on the list, if it is not there. */
static void list(void PERCPU *h)
{
	void PERCPU *head = first();

	if (next(h) != NULL)
		return;
	do
		__atomic_store_n(&percpu__ref_shared(h)->next, head,
				 __ATOMIC_RELAXED);
	while (!__atomic_compare_exchange_n(
		&handles, &head, h, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED));
}

/* The handle that @r has kept, or one for it; it is PROMOTING. */
static void PERCPU *handle_for(struct percpu_ref *r)
{
	if ((percpu__ref_load(r) & PERCPU__REF_HANDLE) != 0)
		return r->guarded.handle;
	return take_handle();
}

/* Without a handle @r, which is PROMOTING, stays atomic. */
static void stop(struct percpu_ref *r)
{
	percpu__ref_percpu_stop(r);
	__atomic_store_n(&wanted, true, __ATOMIC_RELAXED);
}

void percpu__ref_adapt_promote(struct percpu_ref *r)
{
	void PERCPU *h;
	bool had;

	if (!percpu__ref_percpu_could() || !percpu__ref_percpu_begin(r))
		return;
	had = (percpu__ref_load(r) & PERCPU__REF_HANDLE) != 0;
	h = handle_for(r);
	if (h == NULL) {
		stop(r);
	} else if (percpu__ref_percpu_enter(r, h)) {
		set_owner(h, percpu__ref_owner_pack(r));
		list(h);
	} else if (!had) {
		give_back(h);
	}
}

void percpu__ref_adapt_retire(void PERCPU *h)
{
	give_back(h);
}

/* Ask @r whether it is idle; true if it is FOLDING now, as it was. */
static bool look_at(struct percpu_ref *r)
{
	uint64_t word = percpu__ref_load(r);
	uint64_t new;

	do {
		if ((word & PERCPU__REF_DEMOTER) != 0)
			return true;
		if (!percpu__ref_is_percpu(word) ||
		    (word & PERCPU__REF_DEAD) != 0)
			return false;
		new = word | PERCPU__REF_ATOMIC | PERCPU__REF_ASKED;
		if ((word & PERCPU__REF_ASKED) != 0)
			new = percpu__ref_own(new ^ (PERCPU__REF_ASKED |
						     PERCPU__REF_FOLDING |
						     PERCPU__REF_DEMOTER));
	} while (!percpu__ref_change(r, &word, new));
	return (new &PERCPU__REF_DEMOTER) != 0;
}

/* The owner of @h, if that was set in @process, under the lock. */
static struct percpu_ref *owner_of(void PERCPU *h, uint64_t process)
{
	return percpu__ref_owner_of(owner(h), process);
}

/* How many references are FOLDING after a look at all of @process. */
static unsigned look(uint64_t process)
{
	unsigned n = 0;

	for (void PERCPU *h = first(); h != END; h = next(h)) {
		struct percpu_ref *r = owner_of(h, process);

		n += r != NULL && look_at(r);
	}
	return n;
}

/* The fence was refused: they go on counting per CPU. */
static void go_on(struct percpu_ref *r)
{
	uint64_t word = percpu__ref_load(r);
	uint64_t marks =
		PERCPU__REF_DEMOTER | PERCPU__REF_FOLDING | PERCPU__REF_ATOMIC;

	while ((word & (PERCPU__REF_DEMOTER | PERCPU__REF_DEAD)) ==
		       PERCPU__REF_DEMOTER &&
	       !percpu__ref_change(r, &word, percpu__ref_rest(word & ~marks)))
		;
}

struct released {
	struct percpu_ref *ref[RELEASES];
	uint64_t word[RELEASES];
	unsigned n;
};

/* Demote @r, whose handle is @h, after the fence. */
static void demote(struct percpu_ref *r, void PERCPU *h, struct released *out)
{
	struct percpu__ref_folded f =
		percpu__ref_fold(r, h, PERCPU__REF_DEMOTER, 0, false);

	if (percpu__ref_count(f.word) == 0) {
		out->ref[out->n] = r;
		out->word[out->n++] = f.word;
	}
	give_back(h);
}

/* As many as leave room for those that nobody has a reference of. */
static void demote_all(uint64_t process, bool fenced, struct released *out)
{
	for (void PERCPU *h = first(); h != END; h = next(h)) {
		struct percpu_ref *r = owner_of(h, process);

		if (r == NULL ||
		    (percpu__ref_load(r) & PERCPU__REF_DEMOTER) == 0)
			continue;
		if (!fenced)
			go_on(r);
		else if (out->n < RELEASES)
			demote(r, h, out);
	}
}

/*
 * One look, one fence for what it found idle, and what follows from that. While
 * releases run another look may have been refused its fence: so once more. The
 * process is asked for once: a child made by a handler on top of this goes on,
 * with all memory there, since no other thread is.
 */
void percpu__ref_adapt_settle(void)
{
	struct released out;
	uint64_t process;
	bool fenced;

	do {
		out.n = 0;
		percpu__ref_adapt_lock();
		process = percpu__ref_owner_process();
		fenced = look(process) == 0 || percpu_fence() == 0;
		demote_all(process, fenced, &out);
		percpu__ref_adapt_unlock();
		for (unsigned i = 0; i < out.n; i++)
			percpu__ref_release(out.ref[i], out.word[i]);
	} while (out.n == RELEASES);
}

/* Handles without a reserve go where there is room now. */
static void gather(void)
{
	for (void PERCPU *h = first(); h != END; h = next(h)) {
		uint64_t spare = SPARE;

		if (owner(h) == SPARE &&
		    __atomic_compare_exchange_n(
			    &percpu__ref_shared(h)->owner, &spare, NONE, false,
			    __ATOMIC_RELAXED, __ATOMIC_RELAXED))
			give_back(h);
	}
}

/* Fill as many reserves as there are references for. */
static void fill(void)
{
	uint32_t n = __atomic_load_n(&references, __ATOMIC_RELAXED);

	gather();
	for (unsigned i = 0; i < RESERVES && i * PERCPU__RESERVE < n; i++)
		percpu__reserve_fill(&reserve[i]);
}

void percpu__ref_adapt_step(void)
{
	if (!__atomic_load_n(&wanted, __ATOMIC_RELAXED) ||
	    !__atomic_exchange_n(&wanted, false, __ATOMIC_RELAXED))
		return;
	percpu__ref_adapt_settle();
	fill();
}

void percpu__ref_adapt_start(void)
{
	uint32_t n;

	percpu__ref_adapt_step();
	if (__atomic_load_n(&references, __ATOMIC_RELAXED) >= READY ||
	    !percpu__ref_percpu_can())
		return;
	n = __atomic_fetch_add(&references, 1, __ATOMIC_RELAXED);
	if (n == 0)
		percpu__trim_also(percpu__ref_adapt_settle);
	if (n % PERCPU__RESERVE == 0 && n < READY)
		percpu__reserve_fill(&reserve[n / PERCPU__RESERVE]);
}

/* At dlclose. References that are there keep what they have. */
static void __attribute__((destructor(102))) release(void)
{
	if (percpu__exit_keeps())
		return;
	for (void PERCPU *h = first(); h != END;) {
		void PERCPU *spare = owner(h) == SPARE ? h : NULL;

		h = next(h);
		percpu_free(spare);
	}
	handles = END;
	for (unsigned i = 0; i < RESERVES; i++)
		percpu__reserve_empty(&reserve[i]);
}
