/* SPDX-License-Identifier: MIT */
/*
 * mutex.c: locks that a fork does not wait for; lock.c says why, and how the
 * child finds out. There the one lock remembers whose it is; here the process
 * has a number, and each lock the number of the process it was last taken in.
 *
 *   family   a page that the kernel makes 0 in a child of fork, before anything
 *            runs there; else this process's number
 *   last     the greatest number that is taken; copied by a fork, so a child's
 *            number is above all of its ancestors'
 *
 * Numbers are even. A lock with another number is an ancestor's: the first
 * thread that comes to it makes it free, while others wait; meanwhile it has
 * its own number plus 1, so that in a child which is forked then that is just
 * another's number.
 *
 * A holder holds it for about 0.2 us, so others look SPINS times before they
 * sleep: a sleep and a wake cost 25 us.
 */
#include "mutex.h"

#include "os.h"

#include <errno.h>
#include <pthread.h>

#define DOZE_MS 50u
#define SPINS 200u

enum { FREE, HELD, WANTED };

#define STEP 2u
#define JOINING 1u

/* A page to itself: where pages are larger, the kernel does not wipe it. */
static struct {
	uint32_t number;
	uint32_t kept; /* not 0: it was not wiped, if this is a child */
	char pad[4088];
} __attribute__((aligned(4096))) family;

static uint32_t last;

/*
 * Handlers of the program's may have run before it, and used the library: what
 * is theirs stays, where the kernel has done this in time.
 */
static void in_child(void)
{
	if (family.kept != 0)
		__atomic_store_n(&family.number, 0, __ATOMIC_RELAXED);
}

int percpu__mutex_start(void)
{
	static bool handled;

	if (__atomic_load_n(&handled, __ATOMIC_RELAXED))
		return 0;
	__atomic_store_n(&family.kept, 1, __ATOMIC_RELAXED);
	percpu__os_wipe_on_fork(&family, sizeof(family));
	if (__atomic_exchange_n(&handled, true, __ATOMIC_RELAXED) ||
	    pthread_atfork(NULL, NULL, in_child) == 0)
		return 0;
	__atomic_store_n(&handled, false, __ATOMIC_RELAXED);
	return -ENOMEM;
}

uint32_t percpu__mutex_family(void)
{
	uint32_t none = 0;
	uint32_t number = __atomic_load_n(&family.number, __ATOMIC_RELAXED);

	if (__builtin_expect(number != 0, 1))
		return number;
	number = __atomic_add_fetch(&last, STEP, __ATOMIC_RELAXED);
	if (__atomic_compare_exchange_n(&family.number, &none, number, false,
					__ATOMIC_RELAXED, __ATOMIC_RELAXED))
		return number;
	return none;
}

void percpu__mutex_init(struct percpu__mutex *m)
{
	m->word = FREE;
	m->family = percpu__mutex_family();
}

/* Make a lock of an ancestor's free; true for the thread that did it. */
static bool join(struct percpu__mutex *m, uint32_t mine)
{
	uint32_t seen = __atomic_load_n(&m->family, __ATOMIC_ACQUIRE);

	while (seen != mine) {
		if (seen == (mine | JOINING)) {
			percpu__os_doze();
			seen = __atomic_load_n(&m->family, __ATOMIC_ACQUIRE);
		} else if (__atomic_compare_exchange_n(
				   &m->family, &seen, mine | JOINING, false,
				   __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE)) {
			/* Held, for the one who puts things in order. */
			__atomic_store_n(&m->word, HELD, __ATOMIC_RELAXED);
			__atomic_store_n(&m->family, mine, __ATOMIC_RELEASE);
			return true;
		}
	}
	return false;
}

static bool try(struct percpu__mutex *m)
{
	uint32_t word = FREE;

	return __atomic_load_n(&m->word, __ATOMIC_RELAXED) == FREE &&
	       __atomic_compare_exchange_n(&m->word, &word, HELD, false,
					   __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

static bool spin(struct percpu__mutex *m)
{
	for (unsigned i = 0; i < SPINS; i++)
		if (try(m))
			return true;
	return false;
}

static bool want(struct percpu__mutex *m)
{
	return __atomic_exchange_n(&m->word, WANTED, __ATOMIC_ACQUIRE) == FREE;
}

bool percpu__mutex_take(struct percpu__mutex *m)
{
	if (__builtin_expect(__atomic_load_n(&m->family, __ATOMIC_ACQUIRE) !=
				     percpu__mutex_family(),
			     0) &&
	    join(m, percpu__mutex_family()))
		return true;
	if (spin(m))
		return false;
	while (!want(m)) {
		percpu__os_wait(&m->word, WANTED, DOZE_MS);
		/* A thread that forked in a handler while it slept here. */
		if (join(m, percpu__mutex_family()))
			return true;
	}
	return false;
}

void percpu__mutex_take_any(struct percpu__mutex *m)
{
	if (spin(m))
		return;
	while (!want(m))
		percpu__os_wait(&m->word, WANTED, DOZE_MS);
}

void percpu__mutex_drop(struct percpu__mutex *m)
{
	if (__atomic_exchange_n(&m->word, FREE, __ATOMIC_RELEASE) == WANTED)
		percpu__os_wake(&m->word);
}
