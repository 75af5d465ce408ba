/* SPDX-License-Identifier: MIT */
/*
 * rwlock.c: readers that share no line, and a writer that finds them all.
 *
 *   word   63 ......... 32 | 31 ...... 8 | 3     | 2     | 1      | 0
 *          readers         | waiting     | WRITES | PHASE | WRITER | SHUT
 *
 *   SHUT     sections do not add: a writer is there, or the lock is atomic
 *   WRITER   a writer has the lock or waits for it; new readers wait
 *   PHASE    changes when a writer leaves
 *   WRITES   a writer has the lock: what only mistakes are found by
 *   waiting  readers that wait for it to change
 *   readers  modulo 2^32; that many, and what the slots say, have the lock
 *
 * A reader adds 1 to its slot when it locks and -1, to whichever, when it
 * unlocks, by a section that finds SHUT clear. Else it changes the word.
 *
 * 1. Readers of the lock = readers in the word + the sum of all slots, modulo
 *    2^32: each lock and unlock adds to one of them, once.
 * 2. A writer sets SHUT and WRITER, then fences. A section that found SHUT
 *    clear has committed, and is seen in the sum, or restarts and sees it set.
 *    So the slots stand still until SHUT is cleared, and nobody locks until
 *    WRITER is.
 * 3. The writer folds: it adds the slots' sum to the word's readers, which then
 *    only fall, by unlocks; at 0 the lock is the writer's. When it leaves it
 *    takes that sum off again, for the slots still hold it.
 * 4. A reader that unlocks makes its accesses come before its add by a release;
 *    in a slot, the fence (2) brings both to the writer, in the word its
 *    acquire does.
 * 5. A reader that finds WRITER counts itself as waiting, in the word it found,
 *    and sleeps until PHASE is another. The writer that leaves makes all who
 *    wait readers in the very step that clears WRITER and changes PHASE. The
 *    next writer waits for them, so PHASE does not change back before each has
 *    seen it: a reader waits for one writer at most, and a writer for those who
 *    read when it came, or were let in by the one before. A writer whose fence
 *    is refused cannot wait for them. It clears SHUT and WRITER, and no more;
 *    who finds WRITER clear and PHASE as it was still counts as waiting, and
 *    makes itself a reader.
 * 6. The one that brings readers to 0 under WRITER adds to gone and wakes. A
 *    writer loads gone before it looks at readers, so it does not sleep through
 *    that. Before the fold readers may be 0 for no reason: it looks again.
 *    phase is the same for readers. Below 0 they are by a mistake of the
 *    program's alone, which may pass 0 unseen: it does not wait then, and takes
 *    them for 0.
 * 7. Without sections or without a fence SHUT is never cleared, and the slots
 *    are not used. Threads without sections use the word in any case.
 *
 * Writers take turns by a lock of their own, which they hold till they leave.
 */
#include <percpu/rwlock.h>

#include "annot.h"
#include "guarded.h"
#include "misuse.h"
#include "mutex.h"
#include "os.h"
#include "policy.h"

#include <errno.h>
#include <percpu/alloc.h>
#include <percpu/ops.h>

#define SHUT ((uint64_t)PERCPU__RWLOCK_SHUT)
#define WRITER ((uint64_t)PERCPU__RWLOCK_WRITER)
#define PHASE 4ull
#define WRITES 8ull
#define WAITING (1ull << 8)
#define WAITING_MASK 0xffffff00ull
#define READER (1ull << 32)

#define DOZE_MS 50u
#define SPINS 200u

static uint32_t readers(uint64_t word)
{
	return (uint32_t)(word >> 32);
}

static uint32_t waiting(uint64_t word)
{
	return (uint32_t)(word & WAITING_MASK) >> 8;
}

static uint64_t load_word(const struct percpu_rwlock *l)
{
	return __atomic_load_n(&l->guarded.word, __ATOMIC_ACQUIRE);
}

/* Make the word @to if it is *word, which else becomes what it is. */
static bool change(struct percpu_rwlock *l, uint64_t *word, uint64_t to)
{
	return __atomic_compare_exchange_n(&l->guarded.word, word, to, false,
					   __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}

int percpu_rwlock_init(struct percpu_rwlock *l)
{
	uint64_t PERCPU *slots = percpu_new(uint64_t);
	const struct percpu_rwlock none = { .gone = 0 };

	if (slots == NULL)
		return -ENOMEM;
	if (percpu__mutex_start() < 0) {
		percpu_free(slots);
		return -ENOMEM;
	}
	*l = none;
	l->guarded.handle = slots;
	l->atomic = percpu__policy().mode != PERCPU_MODE_RSEQ ||
		    percpu_fence() != 0;
	l->guarded.word = l->atomic ? SHUT : 0;
	percpu__mutex_init(&l->writers);
	return 0;
}

static void misuse(const struct percpu_rwlock *l, const char *function,
		   const char *what)
{
	percpu__misuse("", "percpu_rwlock_%s(%p): the lock %s", function,
		       (const void *)l, what);
}

static bool has_slots(const struct percpu_rwlock *l)
{
	return __atomic_load_n(&l->guarded.handle, __ATOMIC_RELAXED) != NULL;
}

/*
 * False for a lock of zeros, where it is seen, and for one that was destroyed.
 * A static one of the kernel's names has no slots at first, but is atomic.
 */
static bool is_made(const struct percpu_rwlock *l, const char *function)
{
	/* Pairs with the release in percpu__kernel_spread(). */
	if (__builtin_expect(has_slots(l), 1) ||
	    __atomic_load_n(&l->atomic, __ATOMIC_ACQUIRE) != 0 || has_slots(l))
		return true;
	misuse(l, function, "was never made, or is destroyed");
	return false;
}

/* By (1), once nobody reads or unlocks at the moment. */
static int32_t all_readers(const struct percpu_rwlock *l)
{
	return (int32_t)(readers(load_word(l)) +
			 (uint32_t)percpu_sum(
				 (uint64_t PERCPU *)l->guarded.handle));
}

void percpu_rwlock_destroy(struct percpu_rwlock *l)
{
	if (l->guarded.handle == NULL)
		return;
	if ((load_word(l) & WRITER) != 0 || all_readers(l) != 0) {
		misuse(l, "destroy", "is not free");
		return;
	}
	percpu_free(l->guarded.handle);
	l->guarded.handle = NULL;
	l->atomic = 0;
	/* Whoever uses it now comes to is_made(). */
	l->guarded.word = SHUT | WRITER;
}

/* Add to this thread's slot; false where that is not to be, or cannot be. */
static bool add_to_slot(struct percpu_rwlock *l, uint64_t v)
{
	return percpu__guarded_add(&l->guarded, SHUT, v) == PERCPU__COMMITTED;
}

static bool try_read(struct percpu_rwlock *l)
{
	uint64_t word;

	if (add_to_slot(l, 1))
		return true;
	word = load_word(l);
	while ((word & WRITER) == 0)
		if (change(l, &word, word + READER))
			return true;
	return false;
}

bool percpu__rwlock_read_trylock(struct percpu_rwlock *l)
{
	bool locked = is_made(l, "read_trylock") && try_read(l);

	if (locked)
		percpu__annot_tsan_acquire(l);
	return locked;
}

/*
 * Whether this reader, which waits since @was, is let in: by a writer, or by
 * itself after one that was refused.
 */
static bool is_in(struct percpu_rwlock *l, uint64_t was)
{
	uint64_t word = load_word(l);

	while (((word ^ was) & PHASE) == 0)
		if ((word & WRITER) != 0)
			return false;
		else if (change(l, &word, word - WAITING + READER))
			return true;
	return true;
}

static void wait_until_in(struct percpu_rwlock *l, uint64_t was)
{
	for (unsigned i = 0; i < SPINS; i++)
		if (is_in(l, was))
			return;
	for (;;) {
		uint32_t phase = __atomic_load_n(&l->phase, __ATOMIC_ACQUIRE);

		if (is_in(l, was))
			return;
		percpu__os_wait(&l->phase, phase, DOZE_MS);
	}
}

void percpu__rwlock_read_lock(struct percpu_rwlock *l)
{
	uint64_t word;

	if (!is_made(l, "read_lock"))
		return;
	while (!try_read(l)) {
		word = load_word(l);
		if ((word & WRITER) == 0 || !change(l, &word, word + WAITING))
			continue;
		wait_until_in(l, word);
		break;
	}
	percpu__annot_tsan_acquire(l);
}

void percpu__rwlock_read_unlock(struct percpu_rwlock *l)
{
	uint64_t word;

	if (!is_made(l, "read_unlock"))
		return;
	percpu__annot_tsan_release(l);
	if (add_to_slot(l, UINT64_MAX))
		return;
	word = __atomic_sub_fetch(&l->guarded.word, READER, __ATOMIC_ACQ_REL);
	if ((word & WRITER) == 0 || readers(word) != 0)
		return;
	__atomic_fetch_add(&l->gone, 1, __ATOMIC_RELEASE);
	percpu__os_wake(&l->gone);
}

/* Whether those that read when this writer folded have all unlocked. */
static bool are_gone(const struct percpu_rwlock *l)
{
	return (int32_t)readers(load_word(l)) <= 0;
}

static void wait_for_readers(struct percpu_rwlock *l)
{
	for (unsigned i = 0; i < SPINS; i++)
		if (are_gone(l))
			return;
	for (;;) {
		uint32_t gone = __atomic_load_n(&l->gone, __ATOMIC_ACQUIRE);

		if (are_gone(l))
			return;
		percpu__os_wait(&l->gone, gone, DOZE_MS);
	}
}

/* More than had locked have unlocked: nobody reads then. */
static void forget_surplus(struct percpu_rwlock *l)
{
	uint64_t word = load_word(l);

	if ((int32_t)readers(word) >= 0)
		return;
	misuse(l, "write_lock", "was unlocked more often than locked");
	while ((int32_t)readers(word) < 0 &&
	       !change(l, &word, word & (READER - 1)))
		;
}

/* The slots' sum goes to the word; false where the slots may still change. */
static bool fold(struct percpu_rwlock *l)
{
	l->folded = 0;
	if (l->atomic)
		return true;
	/* Pairs with each section that looked at SHUT. */
	if (percpu_fence() != 0)
		return false;
	l->folded = (uint32_t)percpu_sum((uint64_t PERCPU *)l->guarded.handle);
	__atomic_fetch_add(&l->guarded.word, l->folded * READER,
			   __ATOMIC_ACQ_REL);
	return true;
}

/* Wake who waited at @word, when WRITER is clear; then the next writer. */
static void next(struct percpu_rwlock *l, uint64_t word)
{
	if (waiting(word) != 0) {
		__atomic_fetch_add(&l->phase, 1, __ATOMIC_RELEASE);
		percpu__os_wake_all(&l->phase);
	}
	percpu__mutex_drop(&l->writers);
}

/* Let in who waits, and sections; then the next writer. */
static void leave(struct percpu_rwlock *l)
{
	uint64_t word = load_word(l);
	uint64_t to;

	do {
		to = word + (waiting(word) - l->folded) * READER;
		to &= ~(WAITING_MASK | WRITES | WRITER | SHUT);
		to |= l->atomic ? SHUT : 0;
		to ^= PHASE;
	} while (!change(l, &word, to));
	next(l, word);
}

/* By (5): without a fence nobody knows who reads. */
static void give_up(struct percpu_rwlock *l)
{
	next(l, __atomic_and_fetch(&l->guarded.word, ~(WRITER | SHUT),
				   __ATOMIC_ACQ_REL));
}

int percpu_rwlock_write_lock(struct percpu_rwlock *l)
{
	if (!is_made(l, "write_lock"))
		return -EINVAL;
	percpu__mutex_take_any(&l->writers);
	__atomic_fetch_or(&l->guarded.word, SHUT | WRITER, __ATOMIC_SEQ_CST);
	if (!fold(l)) {
		give_up(l);
		return -EOPNOTSUPP;
	}
	wait_for_readers(l);
	forget_surplus(l);
	__atomic_fetch_or(&l->guarded.word, WRITES, __ATOMIC_RELAXED);
	percpu__annot_tsan_acquire(l);
	return 0;
}

void percpu_rwlock_write_unlock(struct percpu_rwlock *l)
{
	if ((load_word(l) & WRITES) == 0) {
		misuse(l, "write_unlock", "is not locked to write");
		return;
	}
	percpu__annot_tsan_release(l);
	leave(l);
}
