/* SPDX-License-Identifier: MIT */
#ifndef PERCPU_KERNEL_OPS_H
#define PERCPU_KERNEL_OPS_H
/*
 * ops.h: operations on this CPU's object, those of percpu/ops.h. @pcp is an
 * lvalue that is not looked at: a variable of DEFINE_PER_CPU(), *h, h->field.
 *
 *   this_cpu_add(var, 1);  this_cpu_inc(h->packets);  this_cpu_read(*h)
 *
 * this_cpu_, __this_cpu_ and raw_cpu_ are the same: one operation each, exact
 * whatever preempts, moves or signals the thread. Values convert to the type of
 * @pcp, in sub of raw_cpu_, too, which in the kernel does not.
 *
 * this_cpu_ptr() and kin point to the object of the CPU that the thread is on
 * at that moment. Others may be on that CPU at the same time, and this one
 * elsewhere a moment later: what is done through the pointer needs a lock, or
 * atomics. On fields that this_cpu_add() and kin change even atomics lose.
 *
 * Errors: none. Context: any, in signal handlers and forked children too.
 */
#include <percpu/kernel/static.h>
#include <percpu/kernel/types.h>
#include <percpu/ops.h>

#ifdef __cplusplus
PERCPU__QUIET_BEGIN
namespace percpu_detail
{

template <class T> inline T PERCPU *kernel(T PERCPU *p)
{
	return (T PERCPU *)percpu__kernel_handle((uintptr_t)p);
}

#if defined(PERCPU_CHECK) && defined(__clang__)
/* A variable of DEFINE_PER_CPU() has no address space of its own. */
template <class T> inline T PERCPU *kernel(T *p)
{
	return (T PERCPU *)percpu__kernel_handle((uintptr_t)p);
}
#endif

} // namespace percpu_detail

template <class T, class V>
inline percpu_detail::plain<T> percpu__kernel_sub_return(T PERCPU *p, V v)
{
	return percpu_add_return(p, 0 - (uint64_t)(percpu_detail::plain<T>)v);
}
PERCPU__QUIET_END

#define PERCPU__KERNEL(p) percpu_detail::kernel(p)
#else
#define PERCPU__KERNEL(p)                                                      \
	((PERCPU__PTR_TYPE(p))percpu__kernel_handle((uintptr_t)(p)))
#define percpu__kernel_sub_return(p, v)                                        \
	percpu_add_return(p, 0 - (uint64_t)(PERCPU__TYPE(p))(v))
#endif

#define PERCPU__KERNEL_AT(pcp) PERCPU__KERNEL(&(pcp))

#define per_cpu_ptr(ptr, cpu) percpu_ptr(PERCPU__KERNEL(ptr), (unsigned)(cpu))
#define this_cpu_ptr(ptr) percpu_this_ptr(PERCPU__KERNEL(ptr))
#define raw_cpu_ptr(ptr) this_cpu_ptr(ptr)
#define per_cpu(var, cpu) (*per_cpu_ptr(&(var), cpu))

PERCPU__DECLS_BEGIN

/*
 * Whether @addr is in some CPU's copy of the calling program's or library's
 * variables; then *@same is the same place in CPU 0's copy. O(nr_cpu_ids).
 */
static inline bool __is_kernel_percpu_address(unsigned long addr,
					      unsigned long *same)
{
	uintptr_t size = (uintptr_t)__stop_percpu_kernel -
			 (uintptr_t)__start_percpu_kernel;
	uintptr_t h = (uintptr_t)__atomic_load_n(&percpu__kernel_area.handle,
						 __ATOMIC_ACQUIRE);
	uintptr_t unit = h + percpu__rt.stride;

	for (uint32_t i = 0; h != 0 && i <= percpu__rt.nr_slots; i++) {
		if (addr - unit < size) {
			*same = addr - i * percpu__rt.stride;
			return true;
		}
		unit += percpu__rt.stride;
	}
	return false;
}

static inline bool is_kernel_percpu_address(unsigned long addr)
{
	unsigned long same;

	return __is_kernel_percpu_address(addr, &same);
}

PERCPU__DECLS_END

/* get excludes nobody, and put does nothing. */
#define get_cpu_ptr(ptr) this_cpu_ptr(ptr)
#define put_cpu_ptr(ptr) ((void)(ptr))
#define get_cpu_var(var) (*this_cpu_ptr(&(var)))
#define put_cpu_var(var) ((void)&(var))
/* Until 2014; "__get_cpu_var(n)++" is a plain access, too. */
#define __get_cpu_var(var) get_cpu_var(var)
#define __raw_get_cpu_var(var) get_cpu_var(var)
#define __this_cpu_ptr(ptr) this_cpu_ptr(ptr)

#define this_cpu_read(pcp) percpu_read(PERCPU__KERNEL_AT(pcp))
#define this_cpu_write(pcp, v) percpu_write(PERCPU__KERNEL_AT(pcp), v)
#define this_cpu_add(pcp, v) percpu_add(PERCPU__KERNEL_AT(pcp), v)
#define this_cpu_sub(pcp, v) percpu_sub(PERCPU__KERNEL_AT(pcp), v)
#define this_cpu_inc(pcp) percpu_inc(PERCPU__KERNEL_AT(pcp))
#define this_cpu_dec(pcp) percpu_dec(PERCPU__KERNEL_AT(pcp))
#define this_cpu_and(pcp, v) percpu_and(PERCPU__KERNEL_AT(pcp), v)
#define this_cpu_or(pcp, v) percpu_or(PERCPU__KERNEL_AT(pcp), v)
#define this_cpu_xor(pcp, v) percpu_xor(PERCPU__KERNEL_AT(pcp), v)
#define this_cpu_add_return(pcp, v) percpu_add_return(PERCPU__KERNEL_AT(pcp), v)
#define this_cpu_sub_return(pcp, v)                                            \
	percpu__kernel_sub_return(PERCPU__KERNEL_AT(pcp), v)
#define this_cpu_inc_return(pcp) percpu_add_return(PERCPU__KERNEL_AT(pcp), 1)
#define this_cpu_dec_return(pcp)                                               \
	percpu__kernel_sub_return(PERCPU__KERNEL_AT(pcp), 1)
#define this_cpu_xchg(pcp, v) percpu_xchg(PERCPU__KERNEL_AT(pcp), v)
#define this_cpu_cmpxchg(pcp, old, new)                                        \
	percpu_cmpxchg(PERCPU__KERNEL_AT(pcp), old, new)
#define this_cpu_try_cmpxchg(pcp, old, new)                                    \
	percpu_try_cmpxchg(PERCPU__KERNEL_AT(pcp), old, new)
/* Of 8 bytes, by name. */
#define this_cpu_cmpxchg64 this_cpu_cmpxchg
#define this_cpu_try_cmpxchg64 this_cpu_try_cmpxchg
/* The sum over all possible CPUs, of what has one of the operations' sizes. */
#define per_cpu_sum(ptr) percpu_sum(PERCPU__KERNEL(ptr))

#define __this_cpu_read this_cpu_read
#define __this_cpu_write this_cpu_write
#define __this_cpu_add this_cpu_add
#define __this_cpu_sub this_cpu_sub
#define __this_cpu_inc this_cpu_inc
#define __this_cpu_dec this_cpu_dec
#define __this_cpu_and this_cpu_and
#define __this_cpu_or this_cpu_or
#define __this_cpu_xor this_cpu_xor
#define __this_cpu_add_return this_cpu_add_return
#define __this_cpu_sub_return this_cpu_sub_return
#define __this_cpu_inc_return this_cpu_inc_return
#define __this_cpu_dec_return this_cpu_dec_return
#define __this_cpu_xchg this_cpu_xchg
#define __this_cpu_cmpxchg this_cpu_cmpxchg
#define __this_cpu_try_cmpxchg this_cpu_try_cmpxchg

#define raw_cpu_read this_cpu_read
#define raw_cpu_write this_cpu_write
#define raw_cpu_add this_cpu_add
#define raw_cpu_sub this_cpu_sub
#define raw_cpu_inc this_cpu_inc
#define raw_cpu_dec this_cpu_dec
#define raw_cpu_and this_cpu_and
#define raw_cpu_or this_cpu_or
#define raw_cpu_xor this_cpu_xor
#define raw_cpu_add_return this_cpu_add_return
#define raw_cpu_sub_return this_cpu_sub_return
#define raw_cpu_inc_return this_cpu_inc_return
#define raw_cpu_dec_return this_cpu_dec_return
#define raw_cpu_xchg this_cpu_xchg
#define raw_cpu_cmpxchg this_cpu_cmpxchg
#define raw_cpu_try_cmpxchg this_cpu_try_cmpxchg
#define raw_cpu_cmpxchg64 this_cpu_cmpxchg64
#define raw_cpu_try_cmpxchg64 this_cpu_try_cmpxchg64

/* Until 2011. */
#define irqsafe_cpu_add this_cpu_add
#define irqsafe_cpu_sub this_cpu_sub
#define irqsafe_cpu_inc this_cpu_inc
#define irqsafe_cpu_dec this_cpu_dec
#define irqsafe_cpu_and this_cpu_and
#define irqsafe_cpu_or this_cpu_or
#define irqsafe_cpu_xor this_cpu_xor
#define irqsafe_cpu_cmpxchg this_cpu_cmpxchg

#endif
