/* SPDX-License-Identifier: MIT */
#ifndef PERCPU_ARCH_GENERIC_MULTI_H
#define PERCPU_ARCH_GENERIC_MULTI_H
/*
 * generic_multi.h: leaves blocks to the library, as arch/generic.h does all
 * operations. Adds anywhere are single ones, one after the other.
 */
#include <percpu/base.h>

PERCPU__DECLS_BEGIN

PERCPU__INLINE unsigned percpu__try_block_2(void PERCPU *h, uint64_t v0,
					    uint64_t v1)
{
	(void)h, (void)v0, (void)v1;
	return 0;
}

PERCPU__INLINE unsigned percpu__try_block_4(void PERCPU *h, uint64_t v0,
					    uint64_t v1, uint64_t v2,
					    uint64_t v3)
{
	(void)h, (void)v0, (void)v1, (void)v2, (void)v3;
	return 0;
}

PERCPU__INLINE unsigned percpu__try_block_8(void PERCPU *h, uint64_t v0,
					    uint64_t v1, uint64_t v2,
					    uint64_t v3, uint64_t v4,
					    uint64_t v5, uint64_t v6,
					    uint64_t v7)
{
	(void)h, (void)v0, (void)v1, (void)v2, (void)v3;
	(void)v4, (void)v5, (void)v6, (void)v7;
	return 0;
}

PERCPU__DECLS_END

#include <percpu/arch/single_multi.h>

#endif
