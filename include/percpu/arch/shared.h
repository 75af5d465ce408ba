/* SPDX-License-Identifier: MIT */
#ifndef PERCPU_ARCH_SHARED_H
#define PERCPU_ARCH_SHARED_H
/*
 * shared.h: operations as atomics on the shared slot, for ThreadSanitizer,
 * which sees atomics and does not see restartable sequences. The shared slot
 * is only ever changed by atomics, so objects built so mix with all others.
 */
#include <percpu/base.h>
#include <stdbool.h>

PERCPU__DECLS_BEGIN

PERCPU__INLINE void *percpu__try_this(void PERCPU *h)
{
	return (void *)((uintptr_t)h + ((uint64_t)percpu__rt.nr_slots + 1) *
					       percpu__rt.stride);
}

#define PERCPU__SHARED_OPS(bytes, bits)                                        \
	PERCPU__INLINE bool percpu__try_add_##bytes(void PERCPU *h,            \
						    uint##bits##_t v)          \
	{                                                                      \
		__atomic_fetch_add((uint##bits##_t *)percpu__try_this(h), v,   \
				   __ATOMIC_RELAXED);                          \
		return true;                                                   \
	}                                                                      \
	PERCPU__INLINE bool percpu__try_write_##bytes(void PERCPU *h,          \
						      uint##bits##_t v)        \
	{                                                                      \
		__atomic_store_n((uint##bits##_t *)percpu__try_this(h), v,     \
				 __ATOMIC_RELAXED);                            \
		return true;                                                   \
	}

PERCPU__SHARED_OPS(1, 8)
PERCPU__SHARED_OPS(2, 16)
PERCPU__SHARED_OPS(4, 32)
PERCPU__SHARED_OPS(8, 64)
#undef PERCPU__SHARED_OPS

PERCPU__DECLS_END
#endif
