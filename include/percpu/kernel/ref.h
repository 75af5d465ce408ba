/* SPDX-License-Identifier: MIT */
#ifndef PERCPU_KERNEL_REF_H
#define PERCPU_KERNEL_REF_H
/*
 * ref.h: percpu_ref with the kernel's arguments.
 *
 *   percpu_ref_init(&r, release, 0, GFP_KERNEL)   the kernel's
 *   percpu_ref_init(&r, release, 0)               percpu/ref.h's
 *
 * Both are there: a macro counts the arguments. All else has one form in both,
 * and is told in percpu/ref.h: get and put, tryget and tryget_live, kill, exit,
 * reinit, resurrect, the switches. kill and the switches are done, and have
 * called what they are to call, when they return.
 */
#include <percpu/kernel/types.h>
#include <percpu/ref.h>

/* The fourth after as many arguments as there are before it. */
#define PERCPU__KERNEL_REF_FOURTH(a, b, c, d, e, ...) e

#define percpu_ref_init(...)                                                   \
	PERCPU__KERNEL_REF_FOURTH(__VA_ARGS__, percpu__kernel_ref_init,        \
				  (percpu_ref_init), 0, 0, 0)                  \
	(__VA_ARGS__)

typedef percpu_ref_fn percpu_ref_func_t;

PERCPU__DECLS_BEGIN

static inline int percpu__kernel_ref_init(struct percpu_ref *r,
					  percpu_ref_fn *release,
					  unsigned flags, gfp_t gfp)
{
	(void)gfp;
	return (percpu_ref_init)(r, release, flags);
}

static inline void percpu_ref_switch_to_atomic_sync(struct percpu_ref *r)
{
	(void)percpu_ref_switch_to_atomic(r, NULL);
}

/* There is no RCU here: the caller sees to the memory of @r. */
static inline bool percpu_ref_tryget_live_rcu(struct percpu_ref *r)
{
	return percpu_ref_tryget_live(r);
}

PERCPU__DECLS_END
#endif
