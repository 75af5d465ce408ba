/* SPDX-License-Identifier: MIT */
#ifndef PERCPU_KERNEL_CACHE_H
#define PERCPU_KERNEL_CACHE_H
/*
 * cache.h: what lies together, and what apart.
 *
 *   static int limit __read_mostly = 16;
 *
 *   struct queue {
 *           __cacheline_group_begin(read);
 *           void *ring;
 *           unsigned size;
 *           __cacheline_group_end(read);
 *           CACHELINE_PADDING(_pad);
 *           unsigned head;
 *   };
 *
 * PERCPU_LINE is the most that the architecture has, and the size that things
 * are aligned to; cache_line_size() is the machine's.
 */
#include <percpu/base.h>
#include <percpu/cpu.h>
#include <stddef.h>

#define SMP_CACHE_BYTES PERCPU_LINE
#define L1_CACHE_BYTES PERCPU_LINE
#define INTERNODE_CACHE_BYTES PERCPU_LINE
#define L1_CACHE_ALIGN(n) percpu_line_roundup(n)
#define SMP_CACHE_ALIGN(n) percpu_line_roundup(n)
#define ____cacheline_aligned PERCPU_LINE_ALIGNED
#define ____cacheline_aligned_in_smp PERCPU_LINE_ALIGNED
#define __cacheline_aligned PERCPU_LINE_ALIGNED
#define __cacheline_aligned_in_smp PERCPU_LINE_ALIGNED
#define ____cacheline_internodealigned_in_smp PERCPU_LINE_ALIGNED

/* A member of a struct. */
#define CACHELINE_PADDING(name) PERCPU_LINE_PAD(name)

/*
 * Variables that are read by all and hardly ever written, all of a program or
 * library side by side, so that none is on a line with one that is written. Not
 * for const ones. __ro_after_init, the same: nobody protects it.
 */
#define __read_mostly __attribute__((section("percpu_read_mostly")))
#define __ro_after_init __read_mostly

/* Of size 0, in C++ too. Of none[0] g++ warns in each struct that has it. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
struct percpu__kernel_nothing {
	char none[1][0];
};
#pragma GCC diagnostic pop

/* Members that say where a group begins and ends; _aligned begins a line. */
#define __cacheline_group_begin(group)                                         \
	struct percpu__kernel_nothing __cacheline_group_begin__##group
#define __cacheline_group_end(group)                                           \
	struct percpu__kernel_nothing __cacheline_group_end__##group
#define __cacheline_group_begin_aligned(group)                                 \
	__cacheline_group_begin(group) PERCPU_LINE_ALIGNED
#define __cacheline_group_end_aligned(group)                                   \
	__cacheline_group_end(group);                                          \
	struct percpu__kernel_nothing PERCPU__PASTE(percpu__after_, group)     \
		PERCPU_LINE_ALIGNED

#ifdef __cplusplus
#define PERCPU__KERNEL_ASSERT static_assert
#else
#define PERCPU__KERNEL_ASSERT _Static_assert
#endif

/* These stand where a declaration may; @size is in bytes. */
#define CACHELINE_ASSERT_GROUP_MEMBER(type, group, member)                     \
	PERCPU__KERNEL_ASSERT(                                                 \
		offsetof(type, member) >=                                      \
				offsetof(type,                                 \
					 __cacheline_group_begin__##group) &&  \
			offsetof(type, member) +                               \
					sizeof(((type *)0)->member) <=         \
				offsetof(type,                                 \
					 __cacheline_group_end__##group),      \
		#member " is of " #group)
#define CACHELINE_ASSERT_GROUP_SIZE(type, group, size)                         \
	PERCPU__KERNEL_ASSERT(                                                 \
		offsetof(type, __cacheline_group_end__##group) -               \
				offsetof(type,                                 \
					 __cacheline_group_begin__##group) <=  \
			(size),                                                \
		"the size of " #group)

PERCPU__DECLS_BEGIN

/* percpu_line_size(), asked once. Context: any, handlers after a first call. */
int percpu__kernel_line_size(void);

static inline int cache_line_size(void)
{
	return percpu__kernel_line_size();
}

PERCPU__DECLS_END
#endif
