/* SPDX-License-Identifier: MIT */
/*
 * cache.c: what lets threads on different CPUs share no lock and no line.
 *
 *   base -> | cache of slot 0 | slot 1 | ... | slot n - 1 | shared slot |
 *
 *   a cache:  | bin 0: count, items | bin 1: count, items | ...
 *
 * Each slot has a cache of its own, whole pages that its CPU alone touches,
 * 68 KiB of which the bins in use are resident. A thread that runs sequences
 * pushes and pops on the cache of the CPU it is on, in a sequence whose last
 * store is the bin's count. Others take a lock for the moment: under the policy
 * atomic, that of the cache of the CPU they are on; under rseq, that of the
 * shared slot, which no sequence touches. Nobody waits for such a lock: it is
 * free, or the chunks serve.
 *
 * 1. No cache sees both sequences and locks: units are the sequences' under
 *    rseq and the locks' under atomic; the shared slot is the locks'.
 * 2. A sequence that ends before its last store has changed nothing that
 *    counts: the item beyond count is nobody's. The last store is one word.
 * 3. Caches are emptied from afar while base is NULL. Sequences load base
 *    themselves, and locks are taken before it is loaded: after a fence, and
 *    after each lock was seen free, nobody is left who saw it otherwise. Where
 *    the system has no fence, a thread empties the cache it uses itself.
 * 4. So the memory can be unmapped, too; the locks are not in it.
 * 5. In a child of fork the caches stay shut until percpu__cache_forget(), also
 *    where a signal handler forked in the middle of what is below; and nobody
 *    waits there for a thread that is not in the child. Where the fork ran no
 *    handlers, as _Fork() does, who waits asks the allocator's lock.
 * 6. Base is stored by who starts the caches, before they are ready, and then
 *    by who empties them: nobody empties caches that another is about to open.
 *
 * Rejected: a lock for each cache on every path. Taking one costs an atomic,
 * 7 to 9 ns on each way where a sequence takes 1 to 2.
 */
#include "cache.h"

#include "lock.h"
#include "once.h"
#include "os.h"
#include "slot.h"

#include <errno.h>
#include <string.h>

/* Times that a sequence is run again before the chunks serve. */
#define TRIES 16
#define LOCKS 64u

struct percpu__cache_map percpu__cache_map PERCPU_LINE_ALIGNED;

#define caches percpu__cache_map.caches
#define bins percpu__cache_map.bins

/* Of cache number i, i + LOCKS, ... */
static struct {
	uint32_t word;
	PERCPU_LINE_PAD(pad);
} PERCPU_LINE_ALIGNED locks[LOCKS];

static char *memory;  /* of all caches */
static bool ready;    /* they were opened once; memory is not NULL */
static bool draining; /* somebody empties caches */
static bool orphaned; /* in a child of fork, until caches are forgotten */

/* A bin as it lies in memory. */
struct items {
	uint64_t count;
	uint64_t item[];
};

/*
 * NULL while nobody may use the caches. Pairs with open_again(): who sees them
 * sees where things are in them, and that they are empty.
 */
static char *base(void)
{
	return __atomic_load_n(&caches.base, __ATOMIC_ACQUIRE);
}

/* What base is when it is not NULL; once it is known to be there. */
static char *mapping(void)
{
	return __atomic_load_n(&memory, __ATOMIC_RELAXED);
}

static size_t len(void)
{
	return (size_t)(caches.stride * ((uint64_t)percpu__rt.nr_slots + 1));
}

static void lay_out(void)
{
	size_t page = percpu__os_page_size();
	size_t at = 0;

	for (unsigned i = 0; i < PERCPU__BINS; i++) {
		percpu__once_32(&bins[i].at, (uint32_t)at);
		percpu__once_32(&bins[i].limit, percpu__cache_limit(i));
		at += sizeof(struct items) +
		      percpu__cache_limit(i) * sizeof(uint64_t);
	}
	percpu__once_64(&caches.stride, ((at + page - 1) / page | 1) * page);
}

static void close_all(void)
{
	__atomic_store_n(&caches.base, NULL, __ATOMIC_SEQ_CST);
}

static bool is_orphaned(void)
{
	return __atomic_load_n(&orphaned, __ATOMIC_ACQUIRE) ||
	       percpu__lock_is_strange();
}

static bool is_ready(void)
{
	return __atomic_load_n(&ready, __ATOMIC_ACQUIRE);
}

static void set_ready(bool to)
{
	__atomic_store_n(&ready, to, __ATOMIC_RELEASE);
}

/* The fork may be at any instruction of this. */
static void open_again(void)
{
	if (is_orphaned())
		return;
	__atomic_store_n(&caches.base, mapping(), __ATOMIC_RELEASE);
	if (is_orphaned())
		close_all();
}

int percpu__cache_start(void)
{
	char *none = NULL;
	char *p;

	if (__atomic_load_n(&memory, __ATOMIC_ACQUIRE) != NULL)
		return 0;
	lay_out();
	/* Who sees it sees where things are, and what policy() published. */
	__atomic_store_n(&percpu__cache_map.rseq,
			 percpu__policy_peek().mode == PERCPU_MODE_RSEQ,
			 __ATOMIC_RELEASE);
	p = percpu__os_map(len());
	if (p == NULL)
		return -ENOMEM;
	if (__atomic_compare_exchange_n(&memory, &none, p, false,
					__ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) {
		open_again();
		set_ready(true);
	} else {
		percpu__os_release(p, len());
	}
	return 0;
}

static bool try_lock(uint32_t slot)
{
	return __atomic_exchange_n(&locks[slot % LOCKS].word, 1,
				   __ATOMIC_ACQUIRE) == 0;
}

static void unlock(uint32_t slot)
{
	__atomic_store_n(&locks[slot % LOCKS].word, 0, __ATOMIC_RELEASE);
}

static struct items *items_of(uint32_t slot, unsigned bin)
{
	return (struct items *)(void *)(mapping() + slot * caches.stride +
					bins[bin].at);
}

/* The cache that a thread without sequences uses. */
static uint32_t locked_slot(void)
{
	return percpu__policy_peek().mode == PERCPU_MODE_ATOMIC ?
		       percpu_this_slot() :
		       percpu__rt.nr_slots;
}

static bool pop_locked(unsigned bin, uint64_t *item)
{
	uint32_t slot = locked_slot();
	struct items *b;
	bool any;

	if (!try_lock(slot))
		return false;
	b = base() == NULL ? NULL : items_of(slot, bin);
	any = b != NULL && b->count > 0;
	if (any)
		*item = b->item[--b->count];
	unlock(slot);
	return any;
}

static bool push_locked(unsigned bin, uint64_t item)
{
	uint32_t slot = locked_slot();
	struct items *b;
	bool room;

	if (!try_lock(slot))
		return false;
	b = base() == NULL ? NULL : items_of(slot, bin);
	room = b != NULL && b->count < bins[bin].limit;
	if (room)
		b->item[b->count++] = item;
	unlock(slot);
	return room;
}

bool percpu__cache_pop_slowly(unsigned bin, uint64_t *item)
{
	enum percpu__ran ran = PERCPU__REFUSED;
	struct percpu__section s;
	unsigned n = 0;

	if (base() == NULL)
		return false;
	if (__builtin_expect(percpu__slot_section(&s, NULL), 1))
		do
			ran = percpu__section_pop(s, &caches, bins[bin].at,
						  item);
		while (ran == PERCPU__ABORTED && n++ < TRIES);
	if (__builtin_expect(ran == PERCPU__COMMITTED, 1))
		return true;
	return ran == PERCPU__REFUSED && pop_locked(bin, item);
}

bool percpu__cache_push_slowly(unsigned bin, uint64_t item)
{
	enum percpu__ran ran = PERCPU__REFUSED;
	struct percpu__section s;
	unsigned n = 0;

	if (base() == NULL)
		return false;
	if (__builtin_expect(percpu__slot_section(&s, NULL), 1))
		do
			ran = percpu__section_push(s, &caches, bins[bin].at,
						   bins[bin].limit, item);
		while (ran == PERCPU__ABORTED && n++ < TRIES);
	if (__builtin_expect(ran == PERCPU__COMMITTED, 1))
		return true;
	return ran == PERCPU__REFUSED && push_locked(bin, item);
}

/* Empty the cache of @slot, of which nobody else makes use now. */
static void empty(uint32_t slot, percpu__cache_give_fn *give)
{
	for (unsigned i = 0; i < PERCPU__BINS; i++) {
		struct items *b = items_of(slot, i);

		if (b->count == 0)
			continue;
		give(b->item, (unsigned)b->count);
		b->count = 0;
	}
}

/* Whether the cache of @slot may hold anything; makes no page resident. */
static bool in_use(uint32_t slot)
{
	size_t pages = (size_t)caches.stride / percpu__os_page_size();
	uint64_t bits;

	if (percpu__os_resident(mapping() + slot * caches.stride, pages,
				&bits) < 0)
		return true;
	return bits != 0;
}

/* False in a child of fork, where whoever has a lock may not be. */
static bool wait_for_locks(void)
{
	for (uint32_t i = 0; i < LOCKS; i++) {
		while (!try_lock(i)) {
			if (is_orphaned())
				return false;
			percpu__os_doze();
		}
		unlock(i);
	}
	return !is_orphaned();
}

void percpu__cache_shut(void)
{
	__atomic_store_n(&orphaned, true, __ATOMIC_RELEASE);
	close_all();
}

/*
 * Keep everybody away from the caches; false if that cannot be done for want
 * of a fence, or need not be. Pairs with the load of base in each sequence and
 * under each lock; the fence and the locks also bring here what was stored in
 * bins.
 */
static bool shut(void)
{
	close_all();
	if (percpu__policy_peek().mode == PERCPU_MODE_RSEQ &&
	    percpu_fence() != 0)
		return false;
	return wait_for_locks();
}

/* Empty the cache that this thread uses; it may come to use another. */
static void empty_own(percpu__cache_give_fn *give)
{
	uint64_t items[PERCPU__BIN_LIMIT_MAX];

	for (unsigned i = 0; i < PERCPU__BINS; i++) {
		unsigned n = 0;

		while (n < bins[i].limit && percpu__cache_pop(i, &items[n]))
			n++;
		if (n > 0)
			give(items, n);
	}
}

/* False in a child of fork, where whoever is at it may not be. */
static bool begin_drain(void)
{
	while (__atomic_exchange_n(&draining, true, __ATOMIC_ACQUIRE)) {
		if (is_orphaned())
			return false;
		percpu__os_doze();
	}
	return true;
}

bool percpu__cache_drain(bool all, percpu__cache_give_fn *give)
{
	if (!is_ready())
		return false;
	if (!all) {
		empty_own(give);
		return true;
	}
	if (!begin_drain())
		return true;
	if (shut()) {
		for (uint32_t i = 0; i <= percpu__rt.nr_slots; i++)
			if (in_use(i))
				empty(i, give);
		open_again();
	} else {
		open_again();
		empty_own(give);
	}
	__atomic_store_n(&draining, false, __ATOMIC_RELEASE);
	return true;
}

static bool any_in_use(bool (*which)(unsigned slot))
{
	for (uint32_t i = 0; i < percpu__rt.nr_slots; i++)
		if (which(i) && in_use(i))
			return true;
	return false;
}

/* What it gave back is zero when it is used again: as many items as it has. */
static void empty_and_drop(uint32_t slot, percpu__cache_give_fn *give)
{
	empty(slot, give);
	percpu__os_drop(mapping() + slot * caches.stride,
			(size_t)caches.stride);
}

void percpu__cache_leave(bool (*gone)(unsigned slot),
			 percpu__cache_give_fn *give)
{
	if (!is_ready() || !any_in_use(gone) || !begin_drain())
		return;
	if (shut())
		for (uint32_t i = 0; i < percpu__rt.nr_slots; i++)
			if (gone(i) && in_use(i))
				empty_and_drop(i, give);
	open_again();
	__atomic_store_n(&draining, false, __ATOMIC_RELEASE);
}

size_t percpu__cache_mapped(void)
{
	return mapping() != NULL ? len() : 0;
}

void percpu__cache_forget(void)
{
	if (mapping() != NULL && percpu__os_drop(mapping(), len()) < 0)
		memset(mapping(), 0, len());
	for (uint32_t i = 0; i < LOCKS; i++)
		unlock(i);
	__atomic_store_n(&orphaned, false, __ATOMIC_RELEASE);
	open_again();
	set_ready(mapping() != NULL);
	__atomic_store_n(&draining, false, __ATOMIC_RELEASE);
}

/* A child of fork may begin in between: it has no memory that is not. */
static void release(void)
{
	char *old = mapping();

	set_ready(false);
	__atomic_store_n(&memory, NULL, __ATOMIC_RELEASE);
	percpu__os_release(old, len());
}

void percpu__cache_release(void)
{
	if (!is_ready() ||
	    __atomic_exchange_n(&draining, true, __ATOMIC_ACQUIRE))
		return;
	if (shut())
		release();
	__atomic_store_n(&draining, false, __ATOMIC_RELEASE);
}
