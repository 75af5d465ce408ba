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

#define PERCPU__SHARED_OP(op, atomic, bytes, bits)                             \
	PERCPU__INLINE bool percpu__try_##op##_##bytes(void PERCPU *h,         \
						       uint##bits##_t v)       \
	{                                                                      \
		atomic((uint##bits##_t *)percpu__try_this(h), v,               \
		       __ATOMIC_RELAXED);                                      \
		return true;                                                   \
	}

#define PERCPU__SHARED_VALUE(op, atomic, bytes, bits)                          \
	PERCPU__INLINE bool percpu__try_##op##_##bytes(                        \
		void PERCPU *h, uint##bits##_t v, uint##bits##_t *out)         \
	{                                                                      \
		*out = atomic((uint##bits##_t *)percpu__try_this(h), v,        \
			      __ATOMIC_RELAXED);                               \
		return true;                                                   \
	}

#define PERCPU__SHARED_OPS(bytes, bits)                                        \
	PERCPU__SHARED_OP(add, __atomic_fetch_add, bytes, bits)                \
	PERCPU__SHARED_OP(and, __atomic_fetch_and, bytes, bits)                \
	PERCPU__SHARED_OP(or, __atomic_fetch_or, bytes, bits)                  \
	PERCPU__SHARED_OP(xor, __atomic_fetch_xor, bytes, bits)                \
	PERCPU__SHARED_OP(write, __atomic_store_n, bytes, bits)                \
	PERCPU__SHARED_VALUE(xchg, __atomic_exchange_n, bytes, bits)           \
	PERCPU__SHARED_VALUE(add_return, __atomic_add_fetch, bytes, bits)      \
	PERCPU__INLINE bool percpu__try_cmpxchg_##bytes(                       \
		void PERCPU *h, uint##bits##_t expected,                       \
		uint##bits##_t desired, uint##bits##_t *old)                   \
	{                                                                      \
		__atomic_compare_exchange_n(                                   \
			(uint##bits##_t *)percpu__try_this(h), &expected,      \
			desired, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);   \
		*old = expected;                                               \
		return true;                                                   \
	}

PERCPU__SHARED_OPS(1, 8)
PERCPU__SHARED_OPS(2, 16)
PERCPU__SHARED_OPS(4, 32)
PERCPU__SHARED_OPS(8, 64)
#undef PERCPU__SHARED_OPS
#undef PERCPU__SHARED_VALUE
#undef PERCPU__SHARED_OP

/* What is added to the shared slot of a counter is in its sum and its read. */
PERCPU__INLINE bool percpu__try_counter_add(void PERCPU *h, uint64_t v,
					    uint64_t reach)
{
	(void)reach;
	return percpu__try_add_8(h, v);
}

/* The shared slot of a stack stays empty: see stack.h. */
PERCPU__INLINE bool percpu__try_push(void PERCPU *h, uint64_t capacity,
				     uint64_t v, uint64_t *n)
{
	(void)h;
	(void)v;
	*n = capacity;
	return true;
}

PERCPU__INLINE bool percpu__try_pop(void PERCPU *h, uint64_t *v, uint64_t *n)
{
	(void)h;
	(void)v;
	*n = 0;
	return true;
}

/* And those that can be shut are: full and empty. */
PERCPU__INLINE bool percpu__try_gated_push(void PERCPU *h,
					   const uint64_t *capacity, uint64_t v,
					   uint64_t *n, uint64_t *top)
{
	(void)h;
	(void)capacity;
	(void)v;
	*n = 0;
	*top = 0;
	return true;
}

PERCPU__INLINE bool percpu__try_gated_pop(void PERCPU *h, const uint64_t *floor,
					  uint64_t *v, uint64_t *n,
					  uint64_t *bottom)
{
	(void)h;
	(void)floor;
	(void)v;
	*n = 0;
	*bottom = 0;
	return true;
}

/* Guards are looked at by the library, with a compare-and-swap. */
PERCPU__INLINE bool percpu__try_guarded_add(const struct percpu__guarded *g,
					    uint64_t mask, uint64_t v)
{
	(void)g;
	(void)mask;
	(void)v;
	return false;
}

/* ThreadSanitizer knows no fences of C11; it sees the library's atomics. */
PERCPU__INLINE void percpu__acquire(void)
{
	__sync_synchronize();
}

PERCPU__INLINE void percpu__release(void)
{
	__sync_synchronize();
}

PERCPU__DECLS_END
#endif
