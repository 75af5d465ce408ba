/* SPDX-License-Identifier: MIT */
#ifndef PERCPU_ASAN_H
#define PERCPU_ASAN_H
/*
 * asan.h: what AddressSanitizer cannot see by itself. It looks neither into
 * restartable sequences nor into the library; so where a program is built with
 * it, an operation first has it look at this thread's slot. All slots of an
 * object are alike to it: that the thread may move in between is no matter.
 * In every other build these are empty.
 */
#include <percpu/arch.h>
#include <percpu/base.h>
#include <percpu/twins.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define PERCPU__ASAN 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#define PERCPU__ASAN 1
#endif

PERCPU__DECLS_BEGIN

#if defined(PERCPU__ASAN)
/* What the compiler calls before a load or store; they report and stop. */
void __asan_load1(void *p);
void __asan_load2(void *p);
void __asan_load4(void *p);
void __asan_load8(void *p);
void __asan_store1(void *p);
void __asan_store2(void *p);
void __asan_store4(void *p);
void __asan_store8(void *p);

/* A function of its own: inlined, a file of many operations takes minutes. */
#define PERCPU__ASAN_CALLED static __attribute__((noinline, unused))

#define PERCPU__ASAN_LOOK(op, h)                                               \
	do {                                                                   \
		void *slot = percpu__try_this(h);                              \
                                                                               \
		__asan_##op(slot != NULL ? slot : percpu_this_ptr_raw(h));     \
	} while (0)

PERCPU__ASAN_CALLED void percpu__asan_load(void PERCPU *h, size_t size)
{
	switch (size) {
	case 1: PERCPU__ASAN_LOOK(load1, h); break;
	case 2: PERCPU__ASAN_LOOK(load2, h); break;
	case 4: PERCPU__ASAN_LOOK(load4, h); break;
	default: PERCPU__ASAN_LOOK(load8, h); break;
	}
}

PERCPU__ASAN_CALLED void percpu__asan_store(void PERCPU *h, size_t size)
{
	switch (size) {
	case 1: PERCPU__ASAN_LOOK(store1, h); break;
	case 2: PERCPU__ASAN_LOOK(store2, h); break;
	case 4: PERCPU__ASAN_LOOK(store4, h); break;
	default: PERCPU__ASAN_LOOK(store8, h); break;
	}
}

#undef PERCPU__ASAN_LOOK
#undef PERCPU__ASAN_CALLED
#else
PERCPU__INLINE void percpu__asan_load(void PERCPU *h, size_t size)
{
	(void)h;
	(void)size;
}

PERCPU__INLINE void percpu__asan_store(void PERCPU *h, size_t size)
{
	(void)h;
	(void)size;
}
#endif

PERCPU__DECLS_END
#endif
