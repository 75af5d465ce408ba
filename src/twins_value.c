/* SPDX-License-Identifier: MIT */
/*
 * twins_value.c: the operations with a result as functions. They go the way of
 * twins.c: the inlined section, the library's own up to PERCPU__TRIES times,
 * then an atomic. A cmpxchg that finds another value than it expects is done
 * as well: it has read one slot, once.
 */
#include "again.h"
#include "slot.h"

#include <percpu/arch.h>
#include <percpu/twins.h>

#define LIST(...) __VA_ARGS__

/* @parameters and @arguments are lists in parentheses. */
#define VALUE(op, bytes, bits, parameters, arguments)                          \
	static bool persist_##op##_##bits(void *h, LIST parameters,            \
					  uint##bits##_t *out)                 \
	{                                                                      \
		struct percpu__section s;                                      \
		enum percpu__ran ran;                                          \
		unsigned n = 0;                                                \
                                                                               \
		if (!percpu__slot_section(&s, h))                              \
			return false;                                          \
		do {                                                           \
			ran = percpu__section_##op##_##bytes(                  \
				s, LIST arguments, out);                       \
		} while (percpu__again(ran, n++));                             \
		return ran == PERCPU__COMMITTED || ran == PERCPU__MISSED;      \
	}                                                                      \
                                                                               \
	static __attribute__((noinline))                                       \
	uint##bits##_t slow_##op##_##bits(void *h, LIST parameters)            \
	{                                                                      \
		uint##bits##_t out;                                            \
                                                                               \
		if (persist_##op##_##bits(h, LIST arguments, &out))            \
			return out;                                            \
		return atomic_##op##_##bits(percpu__slot_atomic(h),            \
					    LIST arguments);                   \
	}                                                                      \
                                                                               \
	uint##bits##_t percpu_##op##_u##bits(void *h, LIST parameters)         \
	{                                                                      \
		uint##bits##_t out;                                            \
		void *slot;                                                    \
                                                                               \
		if (percpu__rt.limit != 0) {                                   \
			if (percpu__try_##op##_##bytes(h, LIST arguments,      \
						       &out))                  \
				return out;                                    \
			return slow_##op##_##bits(h, LIST arguments);          \
		}                                                              \
		slot = percpu__slot_cpu(h);                                    \
		if (slot != NULL)                                              \
			return atomic_##op##_##bits(slot, LIST arguments);     \
		return slow_##op##_##bits(h, LIST arguments);                  \
	}

#define VALUES(bytes, bits)                                                    \
	static uint##bits##_t atomic_xchg_##bits(void *slot, uint##bits##_t v) \
	{                                                                      \
		return __atomic_exchange_n((uint##bits##_t *)slot, v,          \
					   __ATOMIC_RELAXED);                  \
	}                                                                      \
                                                                               \
	static uint##bits##_t atomic_add_return_##bits(void *slot,             \
						       uint##bits##_t v)       \
	{                                                                      \
		return __atomic_add_fetch((uint##bits##_t *)slot, v,           \
					  __ATOMIC_RELAXED);                   \
	}                                                                      \
                                                                               \
	static uint##bits##_t atomic_cmpxchg_##bits(                           \
		void *slot, uint##bits##_t expected, uint##bits##_t desired)   \
	{                                                                      \
		__atomic_compare_exchange_n((uint##bits##_t *)slot, &expected, \
					    desired, false, __ATOMIC_RELAXED,  \
					    __ATOMIC_RELAXED);                 \
		return expected;                                               \
	}                                                                      \
                                                                               \
	VALUE(xchg, bytes, bits, (uint##bits##_t v), (v))                      \
	VALUE(add_return, bytes, bits, (uint##bits##_t v), (v))                \
	VALUE(cmpxchg, bytes, bits,                                            \
	      (uint##bits##_t expected, uint##bits##_t desired),               \
	      (expected, desired))                                             \
                                                                               \
	bool percpu_try_cmpxchg_u##bits(void *h, uint##bits##_t *expected,     \
					uint##bits##_t desired)                \
	{                                                                      \
		uint##bits##_t want = *expected;                               \
                                                                               \
		*expected = percpu_cmpxchg_u##bits(h, want, desired);          \
		return *expected == want;                                      \
	}

VALUES(1, 8)
VALUES(2, 16)
VALUES(4, 32)
VALUES(8, 64)
