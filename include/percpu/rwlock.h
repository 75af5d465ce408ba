/* SPDX-License-Identifier: MIT */
#ifndef PERCPU_RWLOCK_H
#define PERCPU_RWLOCK_H
/*
 * rwlock.h: locks that many read and few write. A reader writes to its own
 * CPU's slot and nowhere else; a writer waits for all of them.
 *
 *   struct percpu_rwlock lock;
 *
 *   if (percpu_rwlock_init(&lock) != 0)
 *           no memory;
 *
 *   percpu_rwlock_read_lock(&lock);
 *   ... look ...
 *   percpu_rwlock_read_unlock(&lock);
 *
 *   if (percpu_rwlock_write_lock(&lock) != 0)
 *           the system refuses a fence that it granted before;
 *   ... change ...
 *   percpu_rwlock_write_unlock(&lock);
 *
 * Effect: no writer has the lock together with anybody else. A reader may
 * unlock on another CPU, and in another thread, than where it locked.
 * Progress: a writer waits for the readers that have the lock, while it holds
 * off new ones; those get it all together when that writer unlocks, before the
 * next one. So neither keeps the other out for ever, whoever comes how often.
 * Between writers there is no order.
 * Recursion: none. A thread that reads and locks again, to read or to write,
 * may wait for a writer that waits for it; percpu_rwlock_read_trylock() fails
 * there instead.
 * Context: threads. Signal handlers may use percpu_rwlock_read_trylock() and
 * percpu_rwlock_read_unlock(). After fork as with pthread_rwlock_t: the child
 * uses locks that no other thread had, or wanted, at the fork; others are to
 * be made anew by percpu_rwlock_init().
 * Ordering: what was done before an unlock is seen after the next lock.
 * Cost: a reader's lock and unlock, one sequence each. A writer, a fence of
 * some 10 us and O(percpu_nr_slots()); among more running readers than CPUs, a
 * CPU's turns. Where threads run no sequences, or the system has no fence
 * (percpu_fence()), all goes through one atomic word. The lock is read by every
 * reader: keep it off lines that others write.
 * Source: Linux, percpu_rw_semaphore; Brandenburg and Anderson, phase-fair
 * locks, 2009.
 */
#include <percpu/arch.h>
#include <percpu/base.h>
#include <stdbool.h>

PERCPU__DECLS_BEGIN

/*
 * For the library. Of guarded.word the bits of PERCPU__RWLOCK_SHUT send readers
 * there; guarded.handle is a uint64_t per CPU.
 */
struct percpu_rwlock {
	struct percpu__guarded guarded;
	uint32_t gone;	/* a futex: the last reader has left, so many times */
	uint32_t phase; /* a futex: a writer has left, so many times */
	struct percpu__mutex writers; /* held by the one that writes */
	uint32_t folded; /* guarded by it: what the slots' sum was */
	uint32_t atomic; /* there are no sections on this lock */
};

#define PERCPU__RWLOCK_SHUT 1u
#define PERCPU__RWLOCK_WRITER 2u

/*
 * A lock that nobody has: 0, or -ENOMEM. There is no initialiser for static
 * ones, and a lock of zeros is none. Once more on one that nobody uses, in
 * a child of fork, is fine, and leaves its memory behind.
 */
int percpu_rwlock_init(struct percpu_rwlock *l);

/*
 * Nobody has the lock, and all calls on it have returned. Twice is harmless,
 * as is one of zeros.
 *
 * Mistakes of the program's, a message and abort: that somebody has it; to use
 * it afterwards; a write_unlock while no writer has the lock, though one may
 * wait; and, found by the next writer, more read_unlocks than read_locks. With
 * PERCPU_MISUSE=warn in the environment calls on a destroyed lock return, the
 * trylock false, write_lock -EINVAL. Not seen are a stray write_unlock while
 * another thread writes, since a writer may unlock in another thread than it
 * locked in; and a reader's use of a lock of zeros by a section, which as a
 * rule faults: other uses of one are named.
 */
void percpu_rwlock_destroy(struct percpu_rwlock *l);

/*
 * Wait until nobody else has the lock: 0, or -EOPNOTSUPP, the system refuses
 * the fence that it granted at percpu_rwlock_init(), and the lock is not had. A
 * filter for system calls that is installed after it must allow membarrier.
 */
int percpu_rwlock_write_lock(struct percpu_rwlock *l);
void percpu_rwlock_write_unlock(struct percpu_rwlock *l);

/* The ways out of the inlined sections. */
void percpu__rwlock_read_lock(struct percpu_rwlock *l);
void percpu__rwlock_read_unlock(struct percpu_rwlock *l);
bool percpu__rwlock_read_trylock(struct percpu_rwlock *l);

/* Wait until no writer has the lock, or waits for it. */
PERCPU__INLINE void percpu_rwlock_read_lock(struct percpu_rwlock *l)
{
	if (!percpu__try_guarded_add(&l->guarded, PERCPU__RWLOCK_SHUT, 1))
		percpu__rwlock_read_lock(l);
	/* Pairs with the release in leave() of rwlock.c. */
	percpu__acquire();
}

/* The same without waiting: false where it would have to. */
PERCPU__INLINE bool percpu_rwlock_read_trylock(struct percpu_rwlock *l)
{
	bool locked =
		percpu__try_guarded_add(&l->guarded, PERCPU__RWLOCK_SHUT, 1) ||
		percpu__rwlock_read_trylock(l);

	percpu__acquire();
	return locked;
}

PERCPU__INLINE void percpu_rwlock_read_unlock(struct percpu_rwlock *l)
{
	/* Pairs with the fence in fold() of rwlock.c. */
	percpu__release();
	if (!percpu__try_guarded_add(&l->guarded, PERCPU__RWLOCK_SHUT,
				     UINT64_MAX))
		percpu__rwlock_read_unlock(l);
}

PERCPU__DECLS_END
#endif
