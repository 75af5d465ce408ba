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
 * A fork waits for nobody, may be made at any moment, in a signal handler too,
 * and leaves every handle good in the child, which goes on with a copy.
 *
 * For finding mistakes there are PERCPU_DEBUG in the environment (percpu(7)),
 * AddressSanitizer and Valgrind; they see objects as they see malloc's.
 */
#include <percpu/base.h>

#include <stdio.h>

PERCPU__DECLS_BEGIN

/*
 * One object of @size bytes per slot, zero in every slot, at a multiple of
 * @align in every slot. Objects are packed: 4 bytes take 4, other sizes the
 * next multiple of 8.
 *
 * @size:  bytes, 1 to percpu_max_size().
 * @align: a power of two, at most the page size: the stride is an odd number of
 *	   pages, so that no larger one could hold in every slot.
 * Returns the handle; NULL with errno EINVAL if @size is 0 or @align is 0 or
 * no power of two, ENOMEM if @size or @align is beyond what can be had or
 * memory is short.
 * Context: any thread, also in a forked child; not in a signal handler.
 * Cost: a few nanoseconds from what is at hand for this CPU; O(units) where a
 * freed object is made zero again.
 */
void PERCPU *percpu_alloc(size_t size, size_t align);

/*
 * percpu_alloc() of whole cache lines: nothing else lies on them, in any slot.
 * Parameters, errors and context are as there.
 */
void PERCPU *percpu_alloc_cacheline(size_t size);

/*
 * percpu_alloc(), and every unit starts as the @size bytes at @image; the
 * shared slot starts as zero. NULL with errno EINVAL also if @image is NULL.
 * Cost: O(units), and pages of every unit that are not zero become resident.
 */
void PERCPU *percpu_alloc_init(size_t size, size_t align, const void *image);

/*
 * Give @h back; nobody may use it any more. NULL is fine.
 *
 * A handle that was freed already, points into an object, or never came from
 * percpu_alloc() is named on standard error and aborts the program; with
 * PERCPU_MISUSE=warn in the environment it is named and nothing is freed.
 * Context: any thread, also in a forked child; not in a signal handler.
 */
void percpu_free(void PERCPU *h);

/*
 * The bytes that @h has in each slot, at least those asked for; all are zero at
 * first. 0 for NULL. What percpu_free() would not take is misuse here, too.
 */
size_t percpu_usable_size(void PERCPU *h);

/*
 * Give memory back to the system: what is kept at hand for each CPU goes back
 * to its chunk; then chunks and pages in which no object lies are dropped, in
 * every slot. Some of this happens by itself, about a second after memory
 * became free, in programs that go on allocating or freeing.
 *
 * Returns the bytes given back: pages that took memory.
 * Context: as percpu_alloc(). Where the system has no fence (percpu_fence()),
 * what is at hand for other CPUs stays there.
 * Cost: O(all chunks and slots), system calls.
 */
size_t percpu_trim(void);

/* The classes of sizes: 4 bytes, 8, 16, ... 1024, and all larger ones. */
#define PERCPU_ALLOC_CLASSES 130

struct percpu_alloc_class {
	size_t size; /* bytes; 0 for the last class, of all larger ones */
	size_t live;
	size_t cached;
};

/* "Bytes" are bytes of a unit, if nothing else is said. */
struct percpu_alloc_stats {
	size_t live;	     /* objects given out */
	size_t live_bytes;   /* that these take */
	size_t peak_bytes;   /* the most ever taken, caches included */
	size_t cached;	     /* objects freed and kept at hand for a CPU */
	size_t cached_bytes; /* that these take */
	size_t free_bytes;   /* that no object takes, in all chunks */
	size_t free_runs;    /* in so many pieces */
	size_t largest_free; /* bytes of the largest of them */
	size_t chunks;
	size_t mapped;	   /* bytes of address space, in all */
	size_t book_bytes; /* of these, for the allocator's books and caches */
	struct percpu_alloc_class classes[PERCPU_ALLOC_CLASSES];
};

/*
 * How the allocator's memory is used, at one moment as far as chunks are
 * concerned: an object that another thread takes or frees meanwhile counts as
 * live or as cached. Fragmentation is 1 - largest_free / free_bytes.
 *
 * Context: as percpu_alloc(). Cost: O(all chunks); other threads wait for that
 * where they need more than what is at hand for their CPU.
 */
void percpu_alloc_stats(struct percpu_alloc_stats *stats);

/*
 * The bytes of @slot over all chunks, 0 to percpu_nr_slots(), that take memory
 * or swap; the shared slot is number percpu_nr_slots(). 0 for other numbers;
 * all bytes where the system does not tell. Pages that were only read take no
 * memory; before Linux 6.7 the system does not tell them from others.
 *
 * Context: as percpu_alloc(). Cost: O(chunks), system calls.
 */
size_t percpu_alloc_populated(unsigned slot);

/*
 * Write a map of all chunks to @out, for people: what is live, at hand and
 * free, page by page, with a legend; then the classes in use.
 *
 * Returns 0, -EINVAL if @out is NULL, -EIO if it could not be written.
 * Context: as percpu_alloc(). Cost: as percpu_alloc_stats().
 */
int percpu_dump(FILE *out);

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
	PERCPU__CAST(type PERCPU *,                                            \
		     percpu_alloc(sizeof(type), PERCPU__ALIGNOF(type)))

/* The same on cache lines of its own. */
#define percpu_new_cacheline(type)                                             \
	PERCPU__CAST(type PERCPU *, percpu_alloc_cacheline(sizeof(type)))

#endif
