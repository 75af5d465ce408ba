/* SPDX-License-Identifier: MIT */
/*
 * debug.c: mistakes of the program, found where malloc's would be.
 *
 *              open              shut             shut
 *   free  --------------> out --------> held --------------> free
 *          zero, image     |  taken       quarantine, poison
 *                          |              looked at
 *                          v
 *             +--------------------+----------+
 *   a slot:   | size bytes, open   | red zone |     all slots alike
 *             +--------------------+----------+
 *
 * An object has a red zone behind it in every slot, so that no two objects of
 * a CPU touch. It is as long as the object, from 32 to 1024 bytes: the field
 * of "the next object", at handle + 1, lies in it. Before an object lies its
 * neighbour's red zone, free memory, or the unit before.
 *
 *   who sees it           overflow, read or write     use after free
 *   AddressSanitizer      at the access               at the access
 *   Valgrind              at the access               at the access
 *   poison                write, at percpu_free       readers see the pattern
 *   poison, quarantine    write, at percpu_free       write, as it is put out
 *
 * The sanitizers want the quarantine too: memory that has a new owner is no
 * mistake to them. They have it unless PERCPU_DEBUG says quarantine=0.
 *
 * Valgrind is told of blocks: one for the handle, in the guard, which makes a
 * handle that nobody has any more a leak, and one for each slot, which its
 * search for leaks finds by a pointer in debug_notes.c. With more than
 * DESCRIBED slots there are none for slots, since each takes microseconds: an
 * error is still one, without the lines on where the memory is from.
 */
#include "debug.h"

#include "annot.h"
#include "debug_notes.h"
#include "debug_options.h"
#include "debug_poison.h"
#include "debug_quarantine.h"
#include "debug_report.h"
#include "message.h"
#include "misuse.h"
#include "os.h"

#include <percpu/base.h>

#include <stdatomic.h>
#include <stdint.h>

#define CELL PERCPU__DEBUG_CELL
#define RED_ZONE_MIN 32u
#define RED_ZONE_MAX 1024u
#define DESCRIBED 64u

/* What to do, in one word that is changed once. */
#define LATCHED 1u
#define ON 2u
#define POISON 4u
#define BYTES 8u /* times this: what the quarantine holds */

static _Atomic uint64_t latch;

static void complain(const struct percpu__debug_options *o)
{
	if (o->unknown[0] != '\0')
		percpu__message(
			"PERCPU_DEBUG: '%s' is ignored; it may be poison, quarantine[=BYTES], all or 1",
			o->unknown);
}

static uint64_t decide(struct percpu__debug_options *o)
{
	bool watched = percpu__annot_asan_on() || percpu__annot_valgrind_on();
	uint64_t word = LATCHED;

	percpu__debug_options_parse(o, percpu__os_env("PERCPU_DEBUG"));
	if (watched && !o->quarantined)
		o->quarantine = PERCPU__DEBUG_QUARANTINE;
	if (watched || o->given)
		word |= ON;
	if (o->poison)
		word |= POISON;
	return word | (uint64_t)o->quarantine * BYTES;
}

static uint64_t options(void)
{
	struct percpu__debug_options o;
	uint64_t word = atomic_load_explicit(&latch, memory_order_relaxed);
	uint64_t mine;

	if (word != 0)
		return word;
	mine = decide(&o);
	if (!atomic_compare_exchange_strong(&latch, &word, mine))
		return word;
	complain(&o);
	return mine;
}

bool percpu__debug_on(void)
{
	return (options() & ON) != 0;
}

static bool poison(void)
{
	return (options() & POISON) != 0;
}

static size_t limit(void)
{
	return (size_t)(options() / BYTES);
}

static char *object(const void *h, uint32_t slot)
{
	return (char *)(uintptr_t)h + ((uint64_t)slot + 1) * percpu__rt.stride;
}

static void open_region(const void *p, size_t len)
{
	percpu__annot_asan_open(p, len);
	percpu__annot_valgrind_open(p, len);
}

static void shut_region(const void *p, size_t len, enum percpu__annot why)
{
	percpu__annot_asan_shut(p, len, why);
	percpu__annot_valgrind_shut(p, len);
}

/* [start, end) of @h in every slot. */
static void shut(const void *h, size_t start, size_t end,
		 enum percpu__annot why)
{
	for (uint32_t i = 0; i <= percpu__rt.nr_slots; i++)
		shut_region(object(h, i) + start, end - start, why);
}

void percpu__debug_open(void *h, size_t room)
{
	for (uint32_t i = 0; i <= percpu__rt.nr_slots; i++)
		open_region(object(h, i), room);
}

static bool described(void)
{
	return percpu__annot_valgrind_on() && percpu__rt.nr_slots <= DESCRIBED;
}

/* Valgrind takes for pointers only what points to readable memory. */
static bool show_guard(char *units)
{
	size_t len = (size_t)percpu__rt.stride;

	if (!percpu__annot_valgrind_on())
		return true;
	percpu__annot_valgrind_shut(units - len, len);
	return percpu__os_show(units - len, len) == 0;
}

bool percpu__debug_chunk(void *units, size_t len, bool mapped)
{
	percpu__annot_asan_root(units, len, mapped);
	if (!percpu__debug_on())
		return true;
	if (!mapped) {
		percpu__debug_notes_remove(units);
		open_region(units, len);
		return true;
	}
	if (!show_guard(units) ||
	    !percpu__debug_notes_add(units, len, described())) {
		percpu__annot_asan_root(units, len, false);
		return false;
	}
	shut_region(units, len, PERCPU__ANNOT_OUTSIDE);
	return true;
}

size_t percpu__debug_room(size_t size)
{
	size_t red = size < RED_ZONE_MIN ? RED_ZONE_MIN :
		     size > RED_ZONE_MAX ? RED_ZONE_MAX :
					   size;
	size_t room = (size + red + CELL - 1) & ~(size_t)(CELL - 1);

	if (size <= percpu__rt.stride && room > percpu__rt.stride)
		return (size_t)percpu__rt.stride;
	return room;
}

/* Tell Valgrind of the handle and of each slot. */
static void describe(const void *h, size_t size)
{
	const void **root;

	if (!percpu__annot_valgrind_on())
		return;
	percpu__annot_valgrind_block(h, size);
	percpu__annot_valgrind_shut(h, size);
	for (uint32_t i = 0; i <= percpu__rt.nr_slots; i++) {
		root = percpu__debug_notes_root(h, object(h, i));
		if (root == NULL)
			break;
		*root = object(h, i);
		percpu__annot_valgrind_block(object(h, i), size);
	}
}

static void forget(const void *h)
{
	const void **root;

	if (!percpu__annot_valgrind_on())
		return;
	percpu__annot_valgrind_unblock(h);
	for (uint32_t i = 0; i <= percpu__rt.nr_slots; i++) {
		root = percpu__debug_notes_root(h, object(h, i));
		if (root == NULL)
			break;
		percpu__annot_valgrind_unblock(object(h, i));
		*root = NULL;
	}
}

void percpu__debug_given(void *h, size_t size, size_t room, const void *by)
{
	struct percpu__debug_note *note = percpu__debug_notes_of(h);

	note->given = by;
	note->taken = NULL;
	note->size = size;
	shut(h, size, room, PERCPU__ANNOT_OUTSIDE);
	describe(h, size);
}

size_t percpu__debug_size(const void *h)
{
	return percpu__debug_notes_of(h)->size;
}

static void misuse(const void *h, const char *what,
		   const struct percpu__debug_wrong *wrong)
{
	const struct percpu__debug_note *note = percpu__debug_notes_of(h);

	percpu__misuse(
		"",
		"%p, of %zu bytes, was written to %s: offset %zu of slot %u; asked for at %p, freed at %p",
		h, note->size, what, wrong->offset, (unsigned)wrong->slot,
		note->given, note->taken);
}

void percpu__debug_taken(void *h, size_t room, const void *by)
{
	struct percpu__debug_note *note = percpu__debug_notes_of(h);
	struct percpu__debug_wrong wrong;

	note->taken = by;
	forget(h);
	if (poison()) {
		percpu__debug_open(h, room);
		if (percpu__debug_poison_overrun(h, note->size, room, &wrong))
			misuse(h, "beyond its end", &wrong);
		percpu__debug_poison_fill(h, room);
	}
	shut(h, 0, room, PERCPU__ANNOT_FREED);
}

/* What is put out of the quarantine must be as it was put in. */
static void put_out(const struct percpu__debug_held *out)
{
	struct percpu__debug_wrong wrong;

	if (!poison())
		return;
	percpu__debug_open(out->h, out->room);
	if (percpu__debug_poison_written(out->h, out->room, &wrong))
		misuse(out->h, "after it was freed", &wrong);
	shut(out->h, 0, out->room, PERCPU__ANNOT_FREED);
}

bool percpu__debug_hold(struct percpu__debug_held in,
			struct percpu__debug_held *out)
{
	if (!percpu__debug_quarantine_put(in, limit(), out))
		return false;
	put_out(out);
	return true;
}

bool percpu__debug_release(bool all, struct percpu__debug_held *out)
{
	if (!percpu__debug_quarantine_get(limit(), all, out))
		return false;
	put_out(out);
	return true;
}

void percpu__debug_forked(void)
{
	percpu__debug_notes_forked();
	percpu__debug_quarantine_forked();
}

static void __attribute__((constructor(101))) start_early(void)
{
	percpu__annot_asan_reports(percpu__debug_report);
}
