/* SPDX-License-Identifier: MIT */
#ifndef PERCPU_OPS_H
#define PERCPU_OPS_H
/*
 * ops.h: operations on the slot of the CPU that executes them.
 *
 *   percpu_add(p, v)        *this_slot(p) += v
 *   percpu_sub(p, v)        *this_slot(p) -= v
 *   percpu_inc(p)           *this_slot(p) += 1
 *   percpu_dec(p)           *this_slot(p) -= 1
 *   percpu_and(p, v)        *this_slot(p) &= v
 *   percpu_or(p, v)         *this_slot(p) |= v
 *   percpu_xor(p, v)        *this_slot(p) ^= v
 *   percpu_write(p, v)      *this_slot(p) = v
 *   percpu_read(p)          *this_slot(p)
 *   percpu_sum(p)           the sum of all slots, modulo the width of *p
 *
 *   percpu_add_return(p, v) T: *this_slot(p) += v, and what it is then
 *   percpu_xchg(p, v)       T: what *this_slot(p) was; it becomes v
 *   percpu_cmpxchg(p, old, new)
 *                           T: what *this_slot(p) was; it becomes new if that
 *                           was old, byte for byte
 *   percpu_try_cmpxchg(p, T *old, new)
 *                           bool: whether it was *old and became new; if not,
 *                           *old becomes what it was
 *
 *   percpu_ptr(h, slot)     T *: the object of @slot, 0 ... percpu_nr_slots()
 *   percpu_this_ptr(h)      T *: the object of this thread's slot
 *   percpu_shared_ptr(h)    T *: the object of the shared slot
 *   percpu_for_each_slot(ptr, h)
 *                           loop: @ptr, a T *, is each unit's object in turn,
 *                           then the shared slot's
 *
 * @p is a T PERCPU *: a handle, or a field of one as in &h->packets; T has 1,
 * 2, 4 or 8 bytes, another size does not compile; the slot must lie at a
 * multiple of that size, as C and percpu_new() have it. Each argument is
 * evaluated once. @v converts to T as in C: sub of (uint32_t)1 from a 64-bit 0
 * is 2^64 - 1. Arithmetic and bits take integers, and add and sub wrap; write,
 * read, xchg and cmpxchg take every scalar.
 *
 * Effect: each operation happens exactly once, in one slot, whatever preempts,
 * moves or signals the thread, and whichever threads or handlers work on the
 * same slot. The next operation may find another slot: its thread may have
 * moved, and a cmpxchg then fails or, by chance, does not. read and
 * this_ptr look at the slot of a CPU on which the thread was during the call.
 * A plain store through percpu_ptr() to a slot that threads add to is a race.
 * Errors: none. Every operation ends in bounded time: one that keeps being
 * interrupted ends in the shared slot. NULL, or a handle that was freed, is
 * not looked for: such an operation writes to memory that is not its own.
 * Context: any, in signal handlers and forked children too; not between vfork
 * and exec, nor in raw CLONE_VM tasks without CLONE_SETTLS.
 * Ordering: none. A sum counts every add that happened before the call, and
 * perhaps later ones: of a value that only grows, sums never go back; of one
 * that is added to on one CPU and subtracted from on another, a sum meanwhile
 * may be off by what is on the way, below zero too. percpu_write sets one slot,
 * not the sum; there is no reset: keep the last sum, and subtract.
 * Cost: sum and for_each are O(percpu_nr_slots()).
 * Source: Linux, this_cpu_add() and kin; restartable sequences, Linux 4.18.
 */
#include <percpu/arch.h>
#include <percpu/asan.h>
#include <percpu/base.h>
#include <percpu/ops_value.h>
#include <percpu/twins.h>
#include <string.h>

PERCPU__DECLS_BEGIN

#define PERCPU__MODIFY(op, bytes, bits)                                        \
	PERCPU__INLINE void percpu__##op##_##bytes(void PERCPU *h,             \
						   uint##bits##_t v)           \
	{                                                                      \
		if (!percpu__try_##op##_##bytes(h, v))                         \
			percpu_##op##_u##bits(h, v);                           \
	}

#define PERCPU__OPS(bytes, bits)                                               \
	PERCPU__MODIFY(add, bytes, bits)                                       \
	PERCPU__MODIFY(and, bytes, bits)                                       \
	PERCPU__MODIFY(or, bytes, bits)                                        \
	PERCPU__MODIFY(xor, bytes, bits)                                       \
	PERCPU__INLINE void percpu__write_##bytes(void PERCPU *h,              \
						  const void *from)            \
	{                                                                      \
		uint##bits##_t v;                                              \
                                                                               \
		memcpy(&v, from, sizeof(v));                                   \
		if (!percpu__try_write_##bytes(h, v))                          \
			percpu_write_u##bits(h, v);                            \
	}                                                                      \
	PERCPU__INLINE void *percpu__load_##bytes(void *to, const void *slot)  \
	{                                                                      \
		uint##bits##_t v = __atomic_load_n(                            \
			(const uint##bits##_t *)slot, __ATOMIC_RELAXED);       \
                                                                               \
		return memcpy(to, &v, sizeof(v));                              \
	}

PERCPU__OPS(1, 8)
PERCPU__OPS(2, 16)
PERCPU__OPS(4, 32)
PERCPU__OPS(8, 64)
#undef PERCPU__OPS
#undef PERCPU__MODIFY

#define PERCPU__MODIFY(op)                                                     \
	PERCPU__INLINE void percpu__##op(void PERCPU *h, uint64_t v,           \
					 size_t size)                          \
	{                                                                      \
		percpu__asan_store(h, size);                                   \
		switch (size) {                                                \
		case 1: percpu__##op##_1(h, (uint8_t)v); break;                \
		case 2: percpu__##op##_2(h, (uint16_t)v); break;               \
		case 4: percpu__##op##_4(h, (uint32_t)v); break;               \
		default: percpu__##op##_8(h, v); break;                        \
		}                                                              \
	}

PERCPU__MODIFY(add)
PERCPU__MODIFY(and)
PERCPU__MODIFY(or)
PERCPU__MODIFY(xor)
#undef PERCPU__MODIFY

PERCPU__INLINE void percpu__write(void PERCPU *h, const void *from, size_t size)
{
	percpu__asan_store(h, size);
	switch (size) {
	case 1: percpu__write_1(h, from); break;
	case 2: percpu__write_2(h, from); break;
	case 4: percpu__write_4(h, from); break;
	default: percpu__write_8(h, from); break;
	}
}

/* Copy @size bytes from @slot to @to in one access; returns @to. */
PERCPU__INLINE void *percpu__load(void *to, const void *slot, size_t size)
{
	switch (size) {
	case 1: return percpu__load_1(to, slot);
	case 2: return percpu__load_2(to, slot);
	case 4: return percpu__load_4(to, slot);
	default: return percpu__load_8(to, slot);
	}
}

PERCPU__INLINE void *percpu__this(void PERCPU *h)
{
	void *slot = percpu__try_this(h);

	return __builtin_expect(slot != NULL, 1) ? slot :
						   percpu_this_ptr_raw(h);
}

static inline uint64_t percpu__sum(void PERCPU *h, size_t size)
{
	percpu__asan_load(h, size);
	switch (size) {
	case 1: return percpu_sum_u8(h);
	case 2: return percpu_sum_u16(h);
	case 4: return percpu_sum_u32(h);
	default: return percpu_sum_u64(h);
	}
}

static inline void *percpu__at(void PERCPU *h, unsigned slot)
{
	return (void *)((uintptr_t)h +
			((uint64_t)slot + 1) * percpu__rt.stride);
}

/* State of one percpu_for_each_slot loop. */
struct percpu__walk {
	void *at;
	uint32_t left;
};

static inline struct percpu__walk percpu__walk_begin(void PERCPU *h)
{
	struct percpu__walk w;

	w.at = percpu__at(h, 0);
	w.left = percpu__rt.nr_slots + 1;
	return w;
}

static inline void percpu__walk_next(struct percpu__walk *w)
{
	w->at = (void *)((uintptr_t)w->at + percpu__rt.stride);
	w->left--;
}

PERCPU__DECLS_END

#define PERCPU__PASTE2(a, b) a##b
#define PERCPU__PASTE(a, b) PERCPU__PASTE2(a, b)

/* @h is a void PERCPU *. */
#define PERCPU__EACH(ptr, h, type, w)                                          \
	for (struct percpu__walk w = percpu__walk_begin(h);                    \
	     w.left != 0 && (((ptr) = PERCPU__CAST(type, w.at)), 1);           \
	     percpu__walk_next(&w))

#ifdef __cplusplus
#include <percpu/ops_cxx.h>
#else
#include <percpu/ops_c.h>
#endif

#endif
