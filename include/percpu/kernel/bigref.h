/* SPDX-License-Identifier: MIT */
#ifndef PERCPU_KERNEL_BIGREF_H
#define PERCPU_KERNEL_BIGREF_H
/*
 * bigref.h: reference counts of 2005, spread over CPUs until their owner
 * disowns them.
 *
 *   bigref_init(&o->ref);                 one reference
 *   bigref_get(&o->ref);                  users, on every CPU
 *   bigref_put(&o->ref, free_o);
 *
 *   bigref_disown(&o->ref);               the owner, who has a reference:
 *   bigref_put(&o->ref, free_o);          the last put frees
 *
 * A bigref is a percpu_ref, whose first reference is the owner's hold; disown
 * drops that, and gives the per-CPU memory back. So before disown no put is the
 * last one, however many there were, and a count of zero is one like others.
 * Who was released needs no bigref_destroy(), which harms nothing. What was
 * proposed had, in such places, uses after free, frees done twice, adds that
 * were lost; DESIGN.md, section 22, tells.
 *
 * Context: threads; get and put anywhere. Init, set, destroy never at the same
 * time as other use.
 * Ordering: what any thread did before its put happens before release.
 * Source: Rusty Russell, bigrefs, 2002 to 2005; as proposed by R. Thirumalai.
 */
#include <percpu/ref.h>

PERCPU__DECLS_BEGIN

struct bigref {
	struct percpu_ref ref;
};

typedef void percpu__bigref_fn(struct bigref *ref);

void percpu__bigref_init(struct bigref *ref);
void percpu__bigref_set(struct bigref *ref, int val);
void percpu__bigref_put(struct bigref *ref, percpu__bigref_fn *release);
void percpu__bigref_destroy(struct bigref *ref);
long percpu__bigref_val(const struct bigref *ref);

/*
 * One reference. Does not fail: without memory it is one atomic word. 8 bytes
 * per CPU; for very many of them see PERCPU_REF_ADAPTIVE.
 */
static inline void bigref_init(struct bigref *ref)
{
	percpu__bigref_init(ref);
}

/* Make the count @val, which may be 0. Before bigref_disown(). */
static inline void bigref_set(struct bigref *ref, int val)
{
	percpu__bigref_set(ref, val);
}

/* A reference more: the caller has one, or the owner has not disowned it. */
PERCPU__INLINE void bigref_get(struct bigref *ref)
{
	percpu_ref_get_many(&ref->ref, 1);
}

/* A reference less. The last, after disown, calls @release, if not NULL. */
PERCPU__INLINE void bigref_put(struct bigref *ref, percpu__bigref_fn *release)
{
	if (!percpu__try_guarded_add(&ref->ref.guarded, PERCPU__REF_ATOMIC,
				     UINT64_MAX))
		percpu__bigref_put(ref, release);
}

/*
 * Count in one place from now on, and find the last put. Drops no reference;
 * the caller has one. Cost: a fence, as percpu_ref_kill().
 */
static inline void bigref_disown(struct bigref *ref)
{
	percpu_ref_kill(&ref->ref);
}

/* Give memory back, whatever the count is. Nobody uses @ref any more. */
static inline void bigref_destroy(struct bigref *ref)
{
	percpu__bigref_destroy(ref);
}

/* The count, for people to read; exact while nobody else gets or puts. */
static inline long bigref_val(const struct bigref *ref)
{
	return percpu__bigref_val(ref);
}

PERCPU__DECLS_END
#endif
