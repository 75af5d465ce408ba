/* SPDX-License-Identifier: MIT */
/*
 * alloc.c: handles out and in.
 *
 *   percpu_alloc  <- cache of this slot <- chunks     (supply.c between them)
 *   percpu_free   -> cache of this slot -> chunks
 *
 * The way that is taken nearly always: out, pop an item, see that nobody has
 * it, mark it; in, know the handle for one, see that the program has it, mark
 * it, push the item. A mark is a byte of the chunk's cells (cell.h). While
 * somebody looks for mistakes (debug.h) there are no caches, and all goes the
 * slow way (watch.c).
 *
 * What is freed may be other than zero and says so in its item; it is made zero
 * when it goes out again, since only then is it sure that no late writer is
 * left. What was never out is zero already.
 *
 * Two threads that free one object at the same instant may both find it the
 * program's. Its second item is found out when it is popped: somebody has the
 * object then.
 */
#include "annot.h"
#include "central.h"
#include "classes.h"
#include "debug.h"
#include "misuse.h"
#include "object.h"
#include "os.h"
#include "registry.h"
#include "supply.h"
#include "trim.h"
#include "wash.h"
#include "watch.h"

#include <percpu/alloc.h>

#include <errno.h>

size_t percpu_max_size(void)
{
	return percpu_stride();
}

static __attribute__((noinline)) void misuse(const char *function,
					     const void *h, const char *what)
{
	percpu__misuse("; nothing freed", "%s(%p): the pointer %s", function, h,
		       what);
}

/* Make what was popped from @bin zero; false if it must be forgotten. */
static bool clean(unsigned bin, uint64_t *item)
{
	if (percpu__wash_many_slots())
		return percpu__supply_wash(bin, item);
	percpu__wash_small(percpu__book_handle(*item),
			   percpu__classes_bytes(bin));
	return true;
}

/* Make @item the program's; false if it is not to be had. */
static inline bool hand_out(unsigned bin, uint64_t item)
{
	if ((item & PERCPU__DIRTY) != 0 && !clean(bin, &item))
		return false;
	if (__builtin_expect(percpu__object_give_out(item), 1))
		return true;
	misuse("percpu_free", percpu__book_handle(item),
	       "was freed by two threads at once");
	return false;
}

/* From the chunks, and some for the cache. */
static void *alloc_refill(unsigned bin)
{
	uint64_t item;

	while (percpu__supply_refill(bin, &item)) {
		if (!hand_out(bin, item))
			continue;
		percpu__trim_step();
		return percpu__book_handle(item);
	}
	errno = ENOMEM;
	return NULL;
}

/* Straight from the chunks. */
static void *alloc_large(size_t bytes, size_t align)
{
	uint64_t item;

	if (align < PERCPU__CELL)
		align = PERCPU__CELL;
	if (percpu__supply_take((uint32_t)(bytes / PERCPU__GRAIN),
				(uint32_t)(align / PERCPU__GRAIN), 1,
				&item) == 0) {
		errno = ENOMEM;
		return NULL;
	}
	if ((item & PERCPU__DIRTY) != 0)
		percpu__wash_large(percpu__book_handle(item), bytes);
	item &= ~(uint64_t)PERCPU__DIRTY;
	percpu__object_give_out(item);
	percpu__trim_step();
	return percpu__book_handle(item);
}

static bool power_of_two(size_t n)
{
	return n != 0 && (n & (n - 1)) == 0;
}

static bool has_bin(size_t size, size_t align)
{
	return size - 1 < PERCPU__BIN_MAX && align <= PERCPU_LINE &&
	       power_of_two(align);
}

/*
 * Whoever is given memory comes after who gave it back; ThreadSanitizer is told
 * so, page by page.
 */
static void tell(void (*what)(const void *), const void *h, size_t bytes)
{
	uintptr_t page = (uintptr_t)h & ~(uintptr_t)4095;

	if (percpu__annot_tsan_on())
		for (; page < (uintptr_t)h + bytes; page += 4096)
			what((const void *)page);
}

static void *find(size_t size, size_t align, const void *by)
{
	size_t bytes;

	if (size == 0 || !power_of_two(align)) {
		errno = EINVAL;
		return NULL;
	}
	if (size > percpu_max_size() || align > percpu__os_page_size()) {
		errno = ENOMEM;
		return NULL;
	}
	if (percpu__debug_on())
		return percpu__watch_alloc(size, align, by);
	bytes = percpu__classes_round(size, align);
	if (has_bin(size, align))
		return alloc_refill(percpu__classes_bin(bytes));
	return alloc_large(bytes, align);
}

/* What no cache has, if it can be had. @by: the program's address. */
static __attribute__((noinline)) void *alloc_slowly(size_t size, size_t align,
						    const void *by)
{
	void *h = find(size, align, by);

	if (h != NULL)
		tell(percpu__annot_tsan_acquire, h, size);
	return h;
}

void *percpu_alloc(size_t size, size_t align)
{
	unsigned bin;
	uint64_t item;

	if (__builtin_expect(has_bin(size, align), 1)) {
		bin = percpu__classes_bin(percpu__classes_round(size, align));
		while (__builtin_expect(percpu__cache_pop(bin, &item), 1))
			if (__builtin_expect(hand_out(bin, item), 1))
				return percpu__book_handle(item);
	}
	return alloc_slowly(size, align, __builtin_return_address(0));
}

void *percpu_alloc_cacheline(size_t size)
{
	if (size > PTRDIFF_MAX) {
		errno = ENOMEM;
		return NULL;
	}
	return percpu_alloc(percpu_line_roundup(size), PERCPU_LINE);
}

/* A handle that came from outside, and what its cell says. */
struct claim {
	uint8_t *cell;
	uint8_t byte;
	uint8_t bit; /* of byte: the program has it */
};

/* What is wrong about @h, which is not an object that the program has. */
static __attribute__((noinline)) const char *explain(const void *h)
{
	const struct percpu__chunk *c = percpu__chunk_of(h);
	uint64_t at = percpu__chunk_offset(h);
	bool start;
	bool used;

	if (at % PERCPU__GRAIN != 0)
		return "points into an object";
	percpu__central_enter();
	start = percpu__book_starts(c, (uint32_t)(at / PERCPU__GRAIN));
	used = percpu__book_used(c, (uint32_t)(at / PERCPU__GRAIN));
	percpu__central_leave();
	return used && !start ? "points into an object" : "was freed already";
}

/* What is wrong about @h; NULL if the program has an object there. */
static inline __attribute__((always_inline)) const char *
examine(const void *h, struct claim *claim)
{
	if (!percpu__registry_has(h))
		return "is no handle of this library";
	claim->cell = percpu__chunk_cell(h);
	claim->byte = percpu__cell_load(claim->cell);
	claim->bit = percpu__object_bit(h, claim->byte);
	if (__builtin_expect(
		    (claim->byte & PERCPU__CELL_START) == 0 ||
			    (claim->byte & claim->bit) == 0 ||
			    (uintptr_t)h % (percpu__cell_is_pair(claim->byte) ?
						    PERCPU__GRAIN :
						    PERCPU__CELL) !=
				    0,
		    0))
		return explain(h);
	return NULL;
}

static size_t bytes_of(const struct claim *claim)
{
	if (percpu__cell_is_pair(claim->byte))
		return PERCPU__GRAIN;
	return (size_t)percpu__cell_grains(claim->cell, claim->byte) *
	       PERCPU__GRAIN;
}

/* What no cache took, held since @seen. @by: the program's address. */
static __attribute__((noinline)) void free_slowly(size_t bytes, uint64_t item,
						  uint32_t seen, const void *by)
{
	int saved = errno;

	tell(percpu__annot_tsan_release, percpu__book_handle(item), bytes);
	if (percpu__debug_on())
		percpu__watch_free(item, bytes, seen, by);
	else if (bytes <= PERCPU__BIN_MAX)
		percpu__supply_flush(percpu__classes_bin(bytes), item, seen);
	else
		percpu__central_give(&item, 1, seen);
	percpu__trim_step();
	errno = saved;
}

void percpu_free(void *h)
{
	uint64_t item = (uintptr_t)h | PERCPU__DIRTY;
	uint32_t seen = percpu__central_seen();
	struct claim claim;
	const char *wrong;
	size_t bytes;

	if (h == NULL)
		return;
	wrong = examine(h, &claim);
	if (__builtin_expect(wrong != NULL, 0)) {
		misuse("percpu_free", h, wrong);
		return;
	}
	percpu__object_clear(claim.cell, claim.byte, claim.bit);
	bytes = bytes_of(&claim);
	if (bytes > PERCPU__BIN_MAX ||
	    !percpu__cache_push(percpu__classes_bin(bytes), item)) {
		free_slowly(bytes, item, seen, __builtin_return_address(0));
		/* A call, not a jump: this function is in traces. */
		__asm__ volatile("" : : : "memory");
	}
}

size_t percpu_usable_size(void *h)
{
	struct claim claim;
	const char *wrong;

	if (h == NULL)
		return 0;
	wrong = examine(h, &claim);
	if (wrong != NULL) {
		misuse("percpu_usable_size", h, wrong);
		return 0;
	}
	return percpu__debug_on() ? percpu__debug_size(h) : bytes_of(&claim);
}
