/* SPDX-License-Identifier: MIT */
#ifndef PERCPU_ALLOC_H
#define PERCPU_ALLOC_H
/*
 * alloc.h: handles. A handle names one object per slot:
 *
 *   slot(i) = handle + (i + 1) * stride,   i = 0 ... percpu_nr_slots()
 *
 * with one stride for every object of the process; slot number
 * percpu_nr_slots() is the shared slot. Position 0 is an inaccessible guard:
 * a program that dereferences a handle by mistake stops at once.
 *
 * A unit's pages appear when they are first written, on the node of the CPU
 * that writes them.
 *
 * A fork waits for allocations that are under way: do not fork in a signal
 * handler that may have interrupted one. Where the library is loaded by
 * dlopen(), do not allocate under a lock that a fork handler from before takes.
 */
#include <percpu/base.h>

PERCPU__DECLS_BEGIN

/*
 * One object of @size bytes per slot, zero in every slot, at a multiple of
 * @align in every slot. Objects are packed: 8 bytes take 8.
 *
 * @size:  bytes, 1 to percpu_max_size().
 * @align: a power of two, at most the page size.
 * Returns the handle; NULL with errno EINVAL if @size is 0 or @align is 0 or
 * no power of two, ENOMEM if @size or @align is beyond what can be had or
 * memory is short.
 * Context: any thread, also in a forked child; not in a signal handler.
 */
void PERCPU *percpu_alloc(size_t size, size_t align);

/*
 * Give @h back; nobody may use it any more. NULL is fine.
 *
 * A handle that was freed already, points into an object, or never came from
 * percpu_alloc() is named on standard error and aborts the program; with
 * PERCPU_MISUSE=warn in the environment it is named and nothing is freed.
 * Context: any thread, also in a forked child; not in a signal handler.
 */
void percpu_free(void PERCPU *h);

/* The largest size in bytes that percpu_alloc() gives. Latches the policy. */
size_t percpu_max_size(void);

/* Bytes from a slot of an object to the next. Latches the policy. */
size_t percpu_stride(void);

PERCPU__DECLS_END

#ifdef __cplusplus
#define PERCPU__ALIGNOF(type) alignof(type)
#else
#define PERCPU__ALIGNOF(type) _Alignof(type)
#endif

/* A handle of @type, at the type's own alignment; NULL as percpu_alloc(). */
#define percpu_new(type)                                                       \
	((type PERCPU *)percpu_alloc(sizeof(type), PERCPU__ALIGNOF(type)))

#endif
