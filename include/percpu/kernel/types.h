/* SPDX-License-Identifier: MIT */
#ifndef PERCPU_KERNEL_TYPES_H
#define PERCPU_KERNEL_TYPES_H
/*
 * types.h: the kernel's short types, its flags of allocations.
 */
#include <percpu/base.h>
#include <percpu/kernel/cache.h>

/*
 * As in the kernel, 64 bits are long long, for %llu. A program that has these
 * types of its own defines PERCPU_KERNEL_NO_TYPES.
 */
#ifndef PERCPU_KERNEL_NO_TYPES
typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef int8_t s8;
typedef int16_t s16;
typedef int32_t s32;
__extension__ typedef unsigned long long u64;
__extension__ typedef long long s64;
#endif

/*
 * Not looked at. Those that stand alone are powers of two from 16 on: given to
 * percpu_alloc(), which had them as its second argument in 2008, they align.
 */
typedef unsigned gfp_t;

#define GFP_KERNEL ((gfp_t)0x10)
#define GFP_ATOMIC ((gfp_t)0x20)
#define GFP_NOWAIT ((gfp_t)0x40)
#define GFP_NOFS ((gfp_t)0x80)
#define GFP_NOIO ((gfp_t)0x100)
#define GFP_USER ((gfp_t)0x200)
#define GFP_KERNEL_ACCOUNT ((gfp_t)0x400)
#define __GFP_ZERO ((gfp_t)0x1000)
#define __GFP_NOWARN ((gfp_t)0x2000)
#define __GFP_NOFAIL ((gfp_t)0x4000)
#define __GFP_NORETRY ((gfp_t)0x8000)
#define __GFP_ACCOUNT ((gfp_t)0x10000)

#define __percpu PERCPU

#endif
