/* SPDX-License-Identifier: MIT */
#ifndef PERCPU_OPS_VALUE_H
#define PERCPU_OPS_VALUE_H
/*
 * ops_value.h: the inside of the operations with a result. Include ops.h.
 *
 * Values come and go through memory of the caller's, which the compiler takes
 * away, so that one function serves each type of a width.
 */
#include <percpu/arch.h>
#include <percpu/asan.h>
#include <percpu/base.h>
#include <percpu/twins.h>
#include <string.h>

PERCPU__DECLS_BEGIN

#define PERCPU__VALUES(bytes, bits)                                            \
	PERCPU__INLINE uint##bits##_t percpu__add_return_##bytes(              \
		void PERCPU *h, uint##bits##_t v)                              \
	{                                                                      \
		uint##bits##_t sum;                                            \
                                                                               \
		if (percpu__try_add_return_##bytes(h, v, &sum))                \
			return sum;                                            \
		return percpu_add_return_u##bits(h, v);                        \
	}                                                                      \
	PERCPU__INLINE void *percpu__xchg_##bytes(void *to, void PERCPU *h,    \
						  const void *from)            \
	{                                                                      \
		uint##bits##_t v;                                              \
		uint##bits##_t old;                                            \
                                                                               \
		memcpy(&v, from, sizeof(v));                                   \
		if (!percpu__try_xchg_##bytes(h, v, &old))                     \
			old = percpu_xchg_u##bits(h, v);                       \
		return memcpy(to, &old, sizeof(old));                          \
	}                                                                      \
	PERCPU__INLINE void *percpu__cmpxchg_##bytes(void *to, void PERCPU *h, \
						     const void *expected,     \
						     const void *desired)      \
	{                                                                      \
		uint##bits##_t want;                                           \
		uint##bits##_t v;                                              \
		uint##bits##_t old;                                            \
                                                                               \
		memcpy(&want, expected, sizeof(want));                         \
		memcpy(&v, desired, sizeof(v));                                \
		if (!percpu__try_cmpxchg_##bytes(h, want, v, &old))            \
			old = percpu_cmpxchg_u##bits(h, want, v);              \
		return memcpy(to, &old, sizeof(old));                          \
	}

PERCPU__VALUES(1, 8)
PERCPU__VALUES(2, 16)
PERCPU__VALUES(4, 32)
PERCPU__VALUES(8, 64)
#undef PERCPU__VALUES

PERCPU__INLINE uint64_t percpu__add_return(void PERCPU *h, uint64_t v,
					   size_t size)
{
	percpu__asan_store(h, size);
	switch (size) {
	case 1: return percpu__add_return_1(h, (uint8_t)v);
	case 2: return percpu__add_return_2(h, (uint16_t)v);
	case 4: return percpu__add_return_4(h, (uint32_t)v);
	default: return percpu__add_return_8(h, v);
	}
}

/* What was there goes to @to, which is returned. */
PERCPU__INLINE void *percpu__xchg(void *to, void PERCPU *h, const void *from,
				  size_t size)
{
	percpu__asan_store(h, size);
	switch (size) {
	case 1: return percpu__xchg_1(to, h, from);
	case 2: return percpu__xchg_2(to, h, from);
	case 4: return percpu__xchg_4(to, h, from);
	default: return percpu__xchg_8(to, h, from);
	}
}

PERCPU__INLINE void *percpu__cmpxchg(void *to, void PERCPU *h,
				     const void *expected, const void *desired,
				     size_t size)
{
	percpu__asan_store(h, size);
	switch (size) {
	case 1: return percpu__cmpxchg_1(to, h, expected, desired);
	case 2: return percpu__cmpxchg_2(to, h, expected, desired);
	case 4: return percpu__cmpxchg_4(to, h, expected, desired);
	default: return percpu__cmpxchg_8(to, h, expected, desired);
	}
}

/* Whether @desired was stored; else *expected is what was there. */
PERCPU__INLINE bool percpu__try_cmpxchg(void PERCPU *h, void *expected,
					const void *desired, size_t size)
{
	uint64_t old;
	bool same;

	percpu__cmpxchg(&old, h, expected, desired, size);
	same = memcmp(&old, expected, size) == 0;
	memcpy(expected, &old, size);
	return same;
}

PERCPU__DECLS_END
#endif
