/* SPDX-License-Identifier: MIT */
#ifndef PERCPU_ARCH_SHARED_MULTI_H
#define PERCPU_ARCH_SHARED_MULTI_H
/*
 * shared_multi.h: several adds as arch/shared.h has single ones: atomics on the
 * shared slot, one for each field.
 */
#include <percpu/arch/shared.h>

PERCPU__DECLS_BEGIN

PERCPU__INLINE unsigned percpu__try_block_2(void PERCPU *h, uint64_t v0,
					    uint64_t v1)
{
	uint64_t *slot = (uint64_t *)percpu__try_this(h);

	__atomic_fetch_add(&slot[0], v0, __ATOMIC_RELAXED);
	__atomic_fetch_add(&slot[1], v1, __ATOMIC_RELAXED);
	return 2;
}

PERCPU__INLINE unsigned percpu__try_block_4(void PERCPU *h, uint64_t v0,
					    uint64_t v1, uint64_t v2,
					    uint64_t v3)
{
	uint64_t *slot = (uint64_t *)percpu__try_this(h);

	percpu__try_block_2(h, v0, v1);
	__atomic_fetch_add(&slot[2], v2, __ATOMIC_RELAXED);
	__atomic_fetch_add(&slot[3], v3, __ATOMIC_RELAXED);
	return 4;
}

PERCPU__INLINE unsigned percpu__try_block_8(void PERCPU *h, uint64_t v0,
					    uint64_t v1, uint64_t v2,
					    uint64_t v3, uint64_t v4,
					    uint64_t v5, uint64_t v6,
					    uint64_t v7)
{
	uint64_t *slot = (uint64_t *)percpu__try_this(h);

	percpu__try_block_4(h, v0, v1, v2, v3);
	__atomic_fetch_add(&slot[4], v4, __ATOMIC_RELAXED);
	__atomic_fetch_add(&slot[5], v5, __ATOMIC_RELAXED);
	__atomic_fetch_add(&slot[6], v6, __ATOMIC_RELAXED);
	__atomic_fetch_add(&slot[7], v7, __ATOMIC_RELAXED);
	return 8;
}

PERCPU__DECLS_END

#include <percpu/arch/single_multi.h>

#endif
