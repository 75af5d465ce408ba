/* SPDX-License-Identifier: MIT */
/*
 * lock.c: the allocator's lock, which a fork does not wait for.
 *
 * A fork that took the lock would wait for its holder. Where the holder waits
 * in turn for a lock that a fork handler has taken, or is the very thread that
 * forks, in a signal handler, neither ends. So no handler prepares a fork. The
 * child finds out that it is one, forgets a holder that did not come along,
 * and makes anew what the lock guards (central.c).
 *
 *   lock     FREE, HELD, or WANTED: held, and somebody may sleep until it is
 *            free; a futex
 *   family   OURS in a process that has taken the lock. The kernel makes it 0,
 *            STRANGE, in a child of fork, whatever called it and before any
 *            handler runs there. A handler of our own does the same where the
 *            kernel does not. BUSY while the first in a child makes the lock
 *            free; others wait for that.
 *
 * 1. A thread that forked in a signal handler, out of the middle of a change of
 *    its own, goes on with it in the child when the handler has returned. A
 *    handler must not allocate, so the change ends before anybody takes the
 *    lock again.
 * 2. A thread that forked in a signal handler while it waited for the lock
 *    wakes in the child and looks at family again: it sleeps DOZE_MS at most.
 *
 * Rejected: pthread_mutex_t, whose waiter cannot be called off in a child.
 */
#include "lock.h"

#include "os.h"

#include <percpu/base.h>

#include <errno.h>
#include <pthread.h>

#define DOZE_MS 50u

enum { FREE, HELD, WANTED };
enum { STRANGE, BUSY, OURS };

/* On lines of its own: what lies beside it may be read by every operation. */
static struct {
	uint32_t word;
	bool forked; /* guarded by it: what it guards is to be put in order */
	PERCPU_LINE_PAD(pad);
} PERCPU_LINE_ALIGNED lock;

/* A page to itself: where pages are larger, the kernel does not wipe it. */
static struct {
	int value;
	int kept; /* not 0: it was not wiped, if this is a child */
	char pad[4088];
} __attribute__((aligned(4096))) family;

static void (*run_in_child)(void);

static int load_family(void)
{
	return __atomic_load_n(&family.value, __ATOMIC_ACQUIRE);
}

bool percpu__lock_is_strange(void)
{
	return load_family() == STRANGE;
}

static void store_family(int value)
{
	__atomic_store_n(&family.value, value, __ATOMIC_RELEASE);
}

/*
 * Handlers of the program's may have run before it, and allocated, and made
 * threads that do: then all is in order, where the kernel wiped in time.
 */
static void in_child(void)
{
	if (family.kept != 0)
		store_family(STRANGE);
	if (percpu__lock_is_strange())
		__atomic_load_n(&run_in_child, __ATOMIC_RELAXED)();
}

int percpu__lock_start(void (*child)(void))
{
	static bool handled;

	__atomic_store_n(&family.kept, 1, __ATOMIC_RELAXED);
	percpu__os_wipe_on_fork(&family, sizeof(family));
	/* Of threads that start at once each stores the same. */
	__atomic_store_n(&run_in_child, child, __ATOMIC_RELAXED);
	if (__atomic_exchange_n(&handled, true, __ATOMIC_RELAXED) ||
	    pthread_atfork(NULL, NULL, in_child) == 0)
		return 0;
	__atomic_store_n(&handled, false, __ATOMIC_RELAXED);
	return -ENOMEM;
}

/* The first thread of a child that comes here makes the lock free. */
static void join(void)
{
	int strange = STRANGE;

	if (__atomic_compare_exchange_n(&family.value, &strange, BUSY, false,
					__ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
		lock.forked = true;
		__atomic_store_n(&lock.word, FREE, __ATOMIC_RELAXED);
		store_family(OURS);
	}
	while (load_family() != OURS)
		percpu__os_doze();
}

static bool try(void)
{
	uint32_t word = FREE;

	return __atomic_compare_exchange_n(&lock.word, &word, HELD, false,
					   __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

/* Wait for the lock; it then is WANTED, since others may wait too. */
static void wait_and_take(void)
{
	while (__atomic_exchange_n(&lock.word, WANTED, __ATOMIC_ACQUIRE) !=
	       FREE) {
		percpu__os_wait(&lock.word, WANTED, DOZE_MS);
		if (load_family() != OURS)
			join();
	}
}

bool percpu__lock_take(void)
{
	bool forked;

	if (__builtin_expect(load_family() != OURS, 0))
		join();
	if (!try())
		wait_and_take();
	forked = lock.forked;
	lock.forked = false;
	return forked;
}

void percpu__lock_drop(void)
{
	if (__atomic_exchange_n(&lock.word, FREE, __ATOMIC_RELEASE) == WANTED)
		percpu__os_wake(&lock.word);
}
