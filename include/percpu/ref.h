/* SPDX-License-Identifier: MIT */
#ifndef PERCPU_REF_H
#define PERCPU_REF_H
/*
 * ref.h: a reference count that many CPUs get and put at the cost of their own
 * memory, until its owner kills it; from then on it counts down to zero in one
 * place, and whoever brings it there calls release.
 *
 *   percpu_ref_init(&o->ref, free_o, 0);    one reference, the owner's
 *   if (percpu_ref_tryget_live(&o->ref)) {  users, on every CPU
 *           ...
 *           percpu_ref_put(&o->ref);
 *   }
 *   percpu_ref_kill(&o->ref);               the owner's is dropped
 *
 *   static void free_o(struct percpu_ref *r)
 *   {
 *           percpu_ref_exit(r);
 *           free((char *)r - offsetof(struct o, ref));
 *   }
 *
 * There is no initialiser for static ones, and a reference of zeros is none: to
 * use it is a mistake of the program's, a message, abort. With
 * PERCPU_MISUSE=warn in the environment the call does nothing, a tryget is
 * false, switch_to_atomic -EINVAL. Not seen is a get, tryget or put of one by a
 * section, which as a rule faults.
 *
 * While it counts per CPU nobody knows the count, and no put finds zero. It
 * does so after init, unless told otherwise, where threads run restartable
 * sequences and percpu_fence() works; elsewhere it is one atomic word, and
 * everything here means the same.
 *
 * PERCPU_REF_ADAPTIVE begins as that word, too. A get or tryget that finds that
 * the word keeps coming from other CPUs makes it count per CPU, without waiting
 * or allocating, if a handle is ready; it comes back when it was not used from
 * one look to the next. Looks are made in init and kill of adaptive references
 * when handles have run out, and in percpu_trim(). While it is one word a get
 * and a put cost two locked adds and a half; on an AMD EPYC three and a half.
 *
 * There may be 2^31 - 1 references at a time. The struct stays where it is from
 * init to exit: percpu_cpus_refresh(), and a look at adaptive ones, read it
 * while it counts per CPU. Who kills, switches, revives, asks or ends it may
 * wait for that, some milliseconds. In a child of fork they read none of the
 * parent's, until the child has let it count per CPU anew: the pages of the
 * others stay, and what was adaptive stays per CPU.
 *
 * Who kills, switches, reinits or exits is one thread at a time. Everything
 * else is for any thread at any time between init and release.
 *
 * Release runs where the last reference is put, also within percpu_ref_kill(),
 * and, of an adaptive reference, within percpu_trim() and init or kill of
 * others; the library does not touch the reference afterwards. No grace period
 * lies between kill, the last put and release.
 *
 * Ordering: what any thread did before its put happens before release. Nothing
 * else is ordered.
 * Source: Linux, percpu_ref (2013); bigrefs (Rusty Russell, 2002-2005).
 */
#include <percpu/arch.h>
#include <percpu/base.h>
#include <stdbool.h>

PERCPU__DECLS_BEGIN

/* Sixteen bytes; what is in them is the library's. */
struct percpu_ref {
	struct percpu__guarded guarded;
};

typedef void percpu_ref_fn(struct percpu_ref *ref);

enum {
	/* Atomic until percpu_ref_switch_to_percpu(). */
	PERCPU_REF_INIT_ATOMIC = 1,
	/* Without a reference and as if killed, until percpu_ref_reinit(). */
	PERCPU_REF_INIT_DEAD = 2,
	/* It may be used again after it was killed; the two above imply it. */
	PERCPU_REF_ALLOW_REINIT = 4,
	/* One atomic word as long as that is not contended; implies reinit. */
	PERCPU_REF_ADAPTIVE = 8
};

/* A bit of the word: sections do not count. */
#define PERCPU__REF_ATOMIC 1u

/* The operations as functions, and the ways out of the inlined ones. */
void percpu__ref_get(struct percpu_ref *ref, uint64_t n);
void percpu__ref_put(struct percpu_ref *ref, uint64_t n);
bool percpu__ref_tryget(struct percpu_ref *ref, uint64_t n);
bool percpu__ref_tryget_live(struct percpu_ref *ref);

/*
 * Make @ref count one reference, the caller's.
 *
 * @release: called once when no reference is left.
 * @flags: PERCPU_REF_..., or-ed.
 * Returns 0; -EINVAL if @release is NULL or a flag unknown; -ENOMEM if there is
 * no memory to count per CPU, never with PERCPU_REF_INIT_ATOMIC, _INIT_DEAD or
 * _ADAPTIVE.
 * Context: any thread, not a signal handler.
 * Cost: the first registers the process for fences, which may take
 * milliseconds; 8 bytes per CPU, with PERCPU_REF_ADAPTIVE none.
 */
int percpu_ref_init(struct percpu_ref *ref, percpu_ref_fn *release,
		    unsigned flags);

/*
 * Undo init: after release, or within it, or while there is only the reference
 * of init and nobody else knows @ref. Twice is harmless, as is one of zeros.
 *
 * Returns 0; -EBUSY, and nothing has changed, if it has other references: that
 * is a mistake of the program's, which a message names before it aborts
 * (PERCPU_MISUSE=warn in the environment goes on).
 * Context: any thread, not a signal handler.
 */
int percpu_ref_exit(struct percpu_ref *ref);

/*
 * Take one reference, or @n, at most 2^31 - 1. The caller has one, or that of
 * the owner is not dropped meanwhile.
 *
 * Errors: none; of a reference that has reached zero, a message and abort. More
 * than there may be at a time are not seen, and the count is wrong.
 * Context: any, in signal handlers too. Ordering: none.
 */
PERCPU__INLINE void percpu_ref_get_many(struct percpu_ref *ref, uint64_t n)
{
	if (!percpu__try_guarded_add(&ref->guarded, PERCPU__REF_ATOMIC, n))
		percpu__ref_get(ref, n);
}

PERCPU__INLINE void percpu_ref_get(struct percpu_ref *ref)
{
	percpu_ref_get_many(ref, 1);
}

/*
 * Give back one reference, or @n, 0 to 2^31 - 1; the last calls release.
 *
 * Errors: none; more puts than gets are found when the count is in one place,
 * by this call or by percpu_ref_kill(): a message and abort.
 * Context: any; a signal handler's put may call release there.
 * Ordering: everything before it happens before release.
 */
PERCPU__INLINE void percpu_ref_put_many(struct percpu_ref *ref, uint64_t n)
{
	if (!percpu__try_guarded_add(&ref->guarded, PERCPU__REF_ATOMIC, 0 - n))
		percpu__ref_put(ref, n);
}

PERCPU__INLINE void percpu_ref_put(struct percpu_ref *ref)
{
	percpu_ref_put_many(ref, 1);
}

/*
 * Take one reference, or @n, unless it has reached zero; also of a killed one.
 * The memory of @ref must be there: that is not this call's to see to.
 *
 * Returns whether it was taken. Context: any, in signal handlers too.
 */
PERCPU__INLINE bool percpu_ref_tryget_many(struct percpu_ref *ref, uint64_t n)
{
	return percpu__try_guarded_add(&ref->guarded, PERCPU__REF_ATOMIC, n) ||
	       percpu__ref_tryget(ref, n);
}

PERCPU__INLINE bool percpu_ref_tryget(struct percpu_ref *ref)
{
	return percpu_ref_tryget_many(ref, 1);
}

/*
 * Take one reference unless it was killed. Once percpu_ref_kill() has returned
 * none succeeds any more, on any thread.
 */
PERCPU__INLINE bool percpu_ref_tryget_live(struct percpu_ref *ref)
{
	return percpu__try_guarded_add(&ref->guarded, PERCPU__REF_ATOMIC, 1) ||
	       percpu__ref_tryget_live(ref);
}

/*
 * Drop the reference of init, and count in one place from now on; release may
 * run within.
 *
 * @confirm: NULL, or called when no percpu_ref_tryget_live() succeeds any more,
 * before that reference is dropped.
 * Errors: killed twice is a mistake of the program's: a message, abort. Where
 * the kernel refuses fences that it has granted before, a message says so, and
 * the reference is never released: nothing is freed on a guess.
 * Context: any thread, not a signal handler. A child of fork in which another
 * thread's kill was cut short may end that by killing again.
 * Ordering: a full barrier.
 * Cost: one percpu_fence(), if it counted per CPU; O(percpu_nr_slots()).
 */
void percpu_ref_kill_and_confirm(struct percpu_ref *ref,
				 percpu_ref_fn *confirm);
void percpu_ref_kill(struct percpu_ref *ref);

/* Kill @n references with one fence for all of them; O(@n) at that. */
void percpu_ref_kill_many(struct percpu_ref *const *refs, size_t n);

/*
 * Count in one place until percpu_ref_switch_to_percpu(), also after reinit.
 *
 * @done: NULL, or called when that is so, before the call returns.
 * Returns 0; -EOPNOTSUPP if fences are refused, and nothing has changed.
 * Context: any thread that has a reference, not a signal handler; it waits for
 * another switch to end. Cost: as percpu_ref_kill().
 */
int percpu_ref_switch_to_atomic(struct percpu_ref *ref, percpu_ref_fn *done);

/*
 * Count per CPU again, where that is possible at all. A killed reference does
 * so after reinit, an adaptive one when it is contended.
 *
 * Returns 0; -EINVAL without PERCPU_REF_ALLOW_REINIT; -ENOMEM.
 * Context: as above.
 */
int percpu_ref_switch_to_percpu(struct percpu_ref *ref);

/*
 * reinit: make a reference whose release has been called as init left it.
 * resurrect: take back a kill of one that has not; references that are there
 * remain, and the caller has that of init again.
 *
 * Returns 0; -EINVAL without PERCPU_REF_ALLOW_REINIT; -EBUSY, reinit, if it has
 * references; -EINVAL, resurrect, if it has none or was not killed; -EBUSY,
 * resurrect, if a refused fence, or a fork, left the kill half done. Without
 * memory it counts in one place.
 * Context: any thread, not a signal handler; within release, too.
 */
int percpu_ref_reinit(struct percpu_ref *ref);
int percpu_ref_resurrect(struct percpu_ref *ref);

/*
 * Whether it was killed; whether it has reached zero, which is asked after exit
 * as well; and how many references there are, for people to read: while it
 * counts per CPU that may be off by those taken and put meanwhile.
 *
 * Context: any thread; percpu_ref_val() not in signal handlers.
 * Cost: percpu_ref_val() is O(percpu_nr_slots()).
 */
bool percpu_ref_is_dying(const struct percpu_ref *ref);
bool percpu_ref_is_zero(const struct percpu_ref *ref);
int64_t percpu_ref_val(const struct percpu_ref *ref);

PERCPU__DECLS_END
#endif
