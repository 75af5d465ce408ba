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

#define PERCPU__GENERIC_VALUE(op, bytes, bits)                                 \
	PERCPU__INLINE bool percpu__try_##op##_##bytes(                        \
		void PERCPU *h, uint##bits##_t v, uint##bits##_t *out)         \
	{                                                                      \
		(void)h;                                                       \
		(void)v;                                                       \
		(void)out;                                                     \
		return false;                                                  \
	}

#define PERCPU__GENERIC_OPS(bytes, bits)                                       \
	PERCPU__GENERIC_OP(add, bytes, bits)                                   \
	PERCPU__GENERIC_OP(and, bytes, bits)                                   \
	PERCPU__GENERIC_OP(or, bytes, bits)                                    \
	PERCPU__GENERIC_OP(xor, bytes, bits)                                   \
	PERCPU__GENERIC_OP(write, bytes, bits)                                 \
	PERCPU__GENERIC_VALUE(xchg, bytes, bits)                               \
	PERCPU__GENERIC_VALUE(add_return, bytes, bits)                         \
	PERCPU__INLINE bool percpu__try_cmpxchg_##bytes(                       \
		void PERCPU *h, uint##bits##_t expected,                       \
		uint##bits##_t desired, uint##bits##_t *old)                   \
	{                                                                      \
		(void)h;                                                       \
		(void)expected;                                                \
		(void)desired;                                                 \
		(void)old;                                                     \
		return false;                                                  \
	}

PERCPU__GENERIC_OPS(1, 8)
PERCPU__GENERIC_OPS(2, 16)
PERCPU__GENERIC_OPS(4, 32)
PERCPU__GENERIC_OPS(8, 64)
#undef PERCPU__GENERIC_OPS
#undef PERCPU__GENERIC_VALUE
#undef PERCPU__GENERIC_OP

PERCPU__INLINE bool percpu__try_push(void PERCPU *h, uint64_t capacity,
				     uint64_t v, uint64_t *n)
{
	(void)h;
	(void)capacity;
	(void)v;
	(void)n;
	return false;
}

PERCPU__INLINE bool percpu__try_pop(void PERCPU *h, uint64_t *v, uint64_t *n)
{
	(void)h;
	(void)v;
	(void)n;
	return false;
}

PERCPU__INLINE bool percpu__try_counter_add(void PERCPU *h, uint64_t v,
					    uint64_t reach)
{
	(void)h;
	(void)v;
	(void)reach;
	return false;
}

PERCPU__INLINE bool percpu__try_gated_push(void PERCPU *h,
					   const uint64_t *capacity, uint64_t v,
					   uint64_t *n, uint64_t *top)
{
	(void)h;
	(void)capacity;
	(void)v;
	(void)n;
	(void)top;
	return false;
}

PERCPU__INLINE bool percpu__try_gated_pop(void PERCPU *h, const uint64_t *floor,
					  uint64_t *v, uint64_t *n,
					  uint64_t *bottom)
{
	(void)h;
	(void)floor;
	(void)v;
	(void)n;
	(void)bottom;
	return false;
}

PERCPU__INLINE void *percpu__try_this(void PERCPU *h)
{
	(void)h;
	return NULL;
}

PERCPU__INLINE bool percpu__try_guarded_add(const struct percpu__guarded *g,
					    uint64_t mask, uint64_t v)
{
	(void)g;
	(void)mask;
	(void)v;
	return false;
}

PERCPU__INLINE void percpu__acquire(void)
{
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
}

PERCPU__INLINE void percpu__release(void)
{
	__atomic_thread_fence(__ATOMIC_RELEASE);
}

PERCPU__DECLS_END
#endif
