/* SPDX-License-Identifier: MIT */
#ifndef PERCPU_KERNEL_ALLOC_H
#define PERCPU_KERNEL_ALLOC_H
/*
 * alloc.h: per-CPU objects, by percpu_alloc(). Sizes, alignments and errors are
 * as there: NULL with errno, and no warning; an alignment of 0 is refused; the
 * largest size is percpu_max_size(), the largest alignment a page. Flags of
 * allocations are evaluated and not looked at.
 *
 * Context: threads, also where the flags say that the caller may not sleep: it
 * may. Not for signal handlers.
 */
#include <percpu/alloc.h>
#include <percpu/kernel/mask.h>
#include <percpu/kernel/types.h>
#include <percpu/ops.h>
#include <string.h>

#define alloc_percpu(type) percpu_new(type)
#define alloc_percpu_gfp(type, gfp) ((void)(gfp), percpu_new(type))
/* On lines of its own: the name of 2017, and the one that was asked for. */
#define alloc_percpu_aligned(type) percpu_new_cacheline(type)
#define alloc_percpu_cacheline_aligned(type) percpu_new_cacheline(type)

PERCPU__DECLS_BEGIN

static inline void PERCPU *__alloc_percpu(size_t size, size_t align)
{
	return percpu_alloc(size, align);
}

static inline void PERCPU *__alloc_percpu_gfp(size_t size, size_t align,
					      gfp_t gfp)
{
	(void)gfp;
	return percpu_alloc(size, align);
}

/* The same: there is no reserve. */
static inline void PERCPU *__alloc_reserved_percpu(size_t size, size_t align)
{
	return percpu_alloc(size, align);
}

static inline void free_percpu(void PERCPU *h)
{
	percpu_free(h);
}

/*
 * The interface of 2008, in which objects came and went by CPU. Here each
 * object has a place for every CPU, whose page appears when it is written; so
 * masks are not looked at, and nothing fails but the allocation.
 *
 * A populated object is zero: depopulating makes it so, and gives back no
 * memory. Nobody uses that CPU's object then; who is on that CPU is the
 * caller's to know. Sizes of 16 bytes and more are aligned to 16, smaller ones
 * to 8.
 */
static inline void PERCPU *__percpu_alloc_mask(size_t size, gfp_t gfp,
					       const cpumask_t *mask)
{
	(void)gfp;
	(void)mask;
	return percpu_alloc(size, size < 16 ? 8 : 16);
}

/* The object of @cpu; NULL for a number that no CPU has. */
static inline void *percpu_populate(void PERCPU *h, size_t size, gfp_t gfp,
				    int cpu)
{
	(void)size;
	(void)gfp;
	return cpu_possible((unsigned)cpu) ? percpu__at(h, (unsigned)cpu) :
					     NULL;
}

/* Memory that was never written is not written. O(size). */
static inline void percpu_depopulate(void PERCPU *h, int cpu)
{
	char *at = (char *)percpu_populate(h, 0, GFP_KERNEL, cpu);
	size_t left = at != NULL ? percpu_usable_size(h) : 0;

	for (; left > 0; left--, at++)
		if (*at != 0)
			*at = 0;
}

/* 0. */
static inline int __percpu_populate_mask(void PERCPU *h, size_t size, gfp_t gfp,
					 const cpumask_t *mask)
{
	(void)h;
	(void)size;
	(void)gfp;
	(void)mask;
	return 0;
}

static inline void __percpu_depopulate_mask(void PERCPU *h,
					    const cpumask_t *mask)
{
	unsigned cpu;

	for_each_cpu (cpu, mask)
		percpu_depopulate(h, (int)cpu);
}

PERCPU__DECLS_END

#define percpu_alloc_mask(size, gfp, mask)                                     \
	__percpu_alloc_mask(size, gfp, &(mask))
#define percpu_populate_mask(h, size, gfp, mask)                               \
	__percpu_populate_mask(h, size, gfp, &(mask))
#define percpu_depopulate_mask(h, mask) __percpu_depopulate_mask(h, &(mask))

#endif
