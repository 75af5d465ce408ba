/* SPDX-License-Identifier: MIT */
#ifndef PERCPU_ARCH_GENERIC_H
#define PERCPU_ARCH_GENERIC_H
/*
 * generic.h: operations as calls into the library, which knows what the
 * machine has. For architectures without sequences of their own here, and for
 * C libraries that leave threads unregistered: there an area is found by a
 * call in any case.
 */
#include <percpu/base.h>
#include <percpu/twins.h>

PERCPU__DECLS_BEGIN

#define PERCPU__GENERIC(bytes, bits)                                           \
	PERCPU__INLINE void percpu__add_##bytes(void PERCPU *h,                \
						uint##bits##_t v)              \
	{                                                                      \
		percpu_add_u##bits(h, v);                                      \
	}                                                                      \
	PERCPU__INLINE void percpu__write_##bytes(void PERCPU *h,              \
						  uint##bits##_t v)            \
	{                                                                      \
		percpu_write_u##bits(h, v);                                    \
	}

PERCPU__GENERIC(1, 8)
PERCPU__GENERIC(2, 16)
PERCPU__GENERIC(4, 32)
PERCPU__GENERIC(8, 64)
#undef PERCPU__GENERIC

PERCPU__INLINE void *percpu__this(void PERCPU *h)
{
	return percpu_this_ptr_raw(h);
}

PERCPU__DECLS_END
#endif
