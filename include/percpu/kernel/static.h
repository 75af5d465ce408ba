/* SPDX-License-Identifier: MIT */
#ifndef PERCPU_KERNEL_STATIC_H
#define PERCPU_KERNEL_STATIC_H
/*
 * static.h: per-CPU variables that are there from the start.
 *
 * &var has to name the variable in every CPU's memory, also in an initialiser,
 * &var.field too, and has to have var's type. So var is a true variable, which
 * holds the initialiser, in a section of its own; the library makes one object
 * of all that a program or library has in that section, and an operation on an
 * address within it goes to the same place of that object. That costs each
 * operation of ops.h two loads that the linker takes away, and a compare.
 *
 *   section          var = 3 | other | ...    addresses in it name the object
 *   unit of CPU 0    var     | other | ...
 *   unit of CPU 1    var     | other | ...
 *   shared slot      var     | other | ...    starts so, too
 *
 * A plain access, var = 4, changes the initialiser and nobody's variable; the
 * operations of percpu/ops.h take handles, not &var. (PERCPU_CHECK says so; in
 * C it takes no arrays but in a struct.)
 *
 * A variable is of the program or library that defines it, whose files see it
 * by DECLARE_PER_CPU(), which hides the symbol: another, which has a section of
 * its own, does not link to it; and in another its address, got by a pointer,
 * is taken for a handle: undefined. (One that is not static and that nobody
 * declares, in clang++ before it is defined, is not hidden: in a library make
 * it static.)
 * EXPORT_PER_CPU_SYMBOL() does not change that: PERCPU_DEFINE() of
 * percpu/static.h defines what several share.
 *
 * What one program or library has is percpu_max_size() together. Where memory
 * is short, or that is not enough, the first operation says so and aborts: it
 * has no way to fail, and is not where the program could do something about it.
 * percpu_kernel_ready() is: it says so before, and tries again.
 * C++: types that are trivially copyable, constant initialisers; clang++ does
 * not refuse others.
 */
#include <percpu/base.h>
#include <percpu/kernel/cache.h>
#include <percpu/static.h>
#include <stdbool.h>

PERCPU__DECLS_BEGIN

/* One for each program or library, whatever files of it include this. */
struct percpu__kernel_area {
	struct percpu__static record;
	void *handle;
	unsigned files; /* whose constructors ran, and whose destructors not */
};

void percpu__kernel_load(struct percpu__kernel_area *area, const void *start,
			 const void *stop);
void percpu__kernel_unload(struct percpu__kernel_area *area);
bool percpu__kernel_again(struct percpu__kernel_area *area, const void *start,
			  const void *stop);
/* Never NULL. */
void *percpu__kernel_late(struct percpu__kernel_area *area, const void *start,
			  const void *stop);

#pragma GCC visibility push(hidden)
/* The linker's; NULL where there is no such section. */
extern const char __start_percpu_kernel[] __attribute__((weak));
extern const char __stop_percpu_kernel[] __attribute__((weak));
__attribute__((weak)) struct percpu__kernel_area percpu__kernel_area;
#pragma GCC visibility pop

static void __attribute__((constructor(102))) percpu__kernel_begin(void)
{
	percpu__kernel_load(&percpu__kernel_area, __start_percpu_kernel,
			    __stop_percpu_kernel);
}

static void __attribute__((destructor(102))) percpu__kernel_end(void)
{
	percpu__kernel_unload(&percpu__kernel_area);
}

/* The handle that @p, such a variable's address or a handle, names. */
PERCPU__INLINE void PERCPU *percpu__kernel_handle(uintptr_t p)
{
	uintptr_t at = p - (uintptr_t)__start_percpu_kernel;
	void *h;

	if (__builtin_expect(at >= (uintptr_t)__stop_percpu_kernel -
					     (uintptr_t)__start_percpu_kernel,
			     1))
		return (void PERCPU *)p;
	h = __atomic_load_n(&percpu__kernel_area.handle, __ATOMIC_ACQUIRE);
	if (__builtin_expect(h == NULL, 0))
		h = percpu__kernel_late(&percpu__kernel_area,
					__start_percpu_kernel,
					__stop_percpu_kernel);
	return (void PERCPU *)((uintptr_t)h + at);
}

/*
 * Whether the variables of the calling program or library have memory, or it
 * has none; if memory was short, asks for it once more. After true no use of
 * them fails. Context: its constructors have run; threads.
 */
static inline bool percpu_kernel_ready(void)
{
	return (uintptr_t)__start_percpu_kernel ==
		       (uintptr_t)__stop_percpu_kernel ||
	       __atomic_load_n(&percpu__kernel_area.handle, __ATOMIC_ACQUIRE) !=
		       NULL ||
	       percpu__kernel_again(&percpu__kernel_area, __start_percpu_kernel,
				    __stop_percpu_kernel);
}

PERCPU__DECLS_END

/* clang takes a struct without an initialiser for one that is not constant. */
#if defined(__cplusplus) && !defined(__clang__)
#define PERCPU__KERNEL_CONSTINIT PERCPU__CONSTINIT
#else
#define PERCPU__KERNEL_CONSTINIT
#endif

#define PERCPU__KERNEL_SECTION __attribute__((section("percpu_kernel")))

/* clang++ says of a declaration that follows the definition that it is late. */
#if defined(__cplusplus) && defined(__clang__)
#define PERCPU__KERNEL_LATE                                                    \
	_Pragma("clang diagnostic push")                                       \
		_Pragma("clang diagnostic ignored \"-Wignored-attributes\"")
#define PERCPU__KERNEL_LATE_END _Pragma("clang diagnostic pop")
#else
#define PERCPU__KERNEL_LATE
#define PERCPU__KERNEL_LATE_END
#endif

#define PERCPU__KERNEL_EXTERN(type, name)                                      \
	PERCPU__KERNEL_LATE extern PERCPU__KERNEL_SECTION                      \
		__attribute__((visibility("hidden"))) __typeof__(type) name    \
			PERCPU__KERNEL_LATE_END

#define DECLARE_PER_CPU(type, name) PERCPU__KERNEL_EXTERN(type, name)
#define DECLARE_PER_CPU_ALIGNED(type, name)                                    \
	PERCPU__KERNEL_EXTERN(type, name PERCPU_LINE_ALIGNED)
#define DECLARE_PER_CPU_SHARED_ALIGNED(type, name)                             \
	DECLARE_PER_CPU_ALIGNED(type, name)
#define DECLARE_PER_CPU_PAGE_ALIGNED(type, name)                               \
	PERCPU__KERNEL_EXTERN(type, name __attribute__((aligned(4096))))
#define DECLARE_PER_CPU_READ_MOSTLY(type, name) DECLARE_PER_CPU(type, name)
#define DECLARE_PER_CPU_CACHE_HOT(type, name) DECLARE_PER_CPU(type, name)

/*
 * ALIGNED and SHARED_ALIGNED begin a line; what is last on theirs they may have
 * in common with others, unless the type is whole lines.
 */
#define DEFINE_PER_CPU(type, name)                                             \
	PERCPU__KERNEL_CONSTINIT PERCPU__KERNEL_SECTION __typeof__(type) name
#define DEFINE_PER_CPU_ALIGNED(type, name)                                     \
	PERCPU__KERNEL_CONSTINIT PERCPU__KERNEL_SECTION                        \
		PERCPU_LINE_ALIGNED __typeof__(type) name
#define DEFINE_PER_CPU_SHARED_ALIGNED(type, name)                              \
	DEFINE_PER_CPU_ALIGNED(type, name)
#define DEFINE_PER_CPU_PAGE_ALIGNED(type, name)                                \
	PERCPU__KERNEL_CONSTINIT PERCPU__KERNEL_SECTION                        \
		__attribute__((aligned(4096))) __typeof__(type) name
#define DEFINE_PER_CPU_READ_MOSTLY(type, name) DEFINE_PER_CPU(type, name)
#define DEFINE_PER_CPU_CACHE_HOT(type, name) DEFINE_PER_CPU(type, name)

/* Nothing but that there is such a variable. */
#define EXPORT_PER_CPU_SYMBOL(name)                                            \
	PERCPU__KERNEL_ASSERT(sizeof(name) > 0, "a per-CPU variable")
#define EXPORT_PER_CPU_SYMBOL_GPL(name) EXPORT_PER_CPU_SYMBOL(name)

#endif
