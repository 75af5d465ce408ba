/* SPDX-License-Identifier: MIT */
#ifndef PERCPU_ARCH_GENERIC_H
#define PERCPU_ARCH_GENERIC_H
/*
 * generic.h: leaves every operation to the library, which knows what the
 * machine has. For architectures without sequences of their own here, and for
 * C libraries that leave threads unregistered: there an area is found by a
 * call in any case.
 */
#include <percpu/base.h>
#include <stdbool.h>

PERCPU__DECLS_BEGIN

#define PERCPU__GENERIC_OP(op, bytes, bits)                                    \
	PERCPU__INLINE bool percpu__try_##op##_##bytes(void PERCPU *h,         \
						       uint##bits##_t v)       \
	{                                                                      \
		(void)h;                                                       \
		(void)v;                                                       \
		return false;                                                  \
	}

PERCPU__GENERIC_OP(add, 1, 8)
PERCPU__GENERIC_OP(add, 2, 16)
PERCPU__GENERIC_OP(add, 4, 32)
PERCPU__GENERIC_OP(add, 8, 64)
PERCPU__GENERIC_OP(write, 1, 8)
PERCPU__GENERIC_OP(write, 2, 16)
PERCPU__GENERIC_OP(write, 4, 32)
PERCPU__GENERIC_OP(write, 8, 64)
#undef PERCPU__GENERIC_OP

PERCPU__INLINE void *percpu__try_this(void PERCPU *h)
{
	(void)h;
	return NULL;
}

PERCPU__DECLS_END
#endif
