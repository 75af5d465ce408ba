/* SPDX-License-Identifier: MIT */
/*
 * ref_owner.c: the shared slot's copy of a reference's slot, which never
 * counts: the release function, and, while the others do, whose they are.
 *
 *   63      56 55      48 47                   0
 *   +---------+----------+----------------------+
 *   |    0    | release                         |   nobody's
 *   | 1 ..255 | process  | owner                |   release: functions[that]
 *   +---------+----------+----------------------+
 *
 * A program's addresses have 48 bits where it has not asked for others. One
 * that has more, a tagged one (AArch64), and a function when there are 255
 * others, stay as in the first row: the owner is nobody then, and the slot's
 * pages stay.
 *
 * The process is that in which the owner was set (mutex.h). A child of fork
 * does not look at an owner of its parent's: that may have been on the stack of
 * a thread that did not come along, which may be anything by now. It does after
 * it has let it count anew. 0: from the 255th fork of forks on, nobody's.
 *
 * Functions are never taken out. One of a library that was unloaded is a number
 * that nobody has, until another function comes to lie there.
 *
 * The owner is set before the word of the reference lets sections in, by who
 * has a reference or is alone. It is forgotten under the lock of ref_adapt.c,
 * by the fold, or by exit. So under that lock an owner is there. Slots are in
 * the word before that, so that they count for nothing whenever there is no
 * owner, in a child of fork too. For adaptive ones ref_adapt.c has a word of
 * its own for process and owner, and this has the first row.
 *
 * Rejected: a word more in each slot: 8 bytes a CPU. A word more for each cell
 * of a chunk: 8 bytes a reference, and one unit's more address space. To ask
 * the system whether the owner is there, in a child: what is there may be
 * another's.
 */
#include "ref.h"

#define WHICH 56
#define RELEASE (((uint64_t)1 << WHICH) - 1)
#define PROCESS 48
#define PROCESSES 256u
#define OWNER (((uint64_t)1 << PROCESS) - 1)
#define FUNCTIONS 256u

static percpu_ref_fn *functions[FUNCTIONS]; /* not the first */

static uint64_t load(void PERCPU *h)
{
	return __atomic_load_n(&percpu__ref_shared(h)->release,
			       __ATOMIC_ACQUIRE);
}

static void store(void PERCPU *h, uint64_t v)
{
	__atomic_store_n(&percpu__ref_shared(h)->release, v, __ATOMIC_RELEASE);
}

/* The number of @release; 0 if it gets none. */
static unsigned number(percpu_ref_fn *release)
{
	for (unsigned i = 1; i < FUNCTIONS; i++) {
		percpu_ref_fn *f =
			__atomic_load_n(&functions[i], __ATOMIC_ACQUIRE);

		if (f == release ||
		    (f == NULL &&
		     (__atomic_compare_exchange_n(&functions[i], &f, release,
						  false, __ATOMIC_ACQ_REL,
						  __ATOMIC_ACQUIRE) ||
		      f == release)))
			return i;
	}
	return 0;
}

uint64_t percpu__ref_owner_process(void)
{
	uint64_t number = percpu__mutex_family() / 2;

	return number < PROCESSES ? number << PROCESS : 0;
}

uint64_t percpu__ref_owner_pack(const struct percpu_ref *r)
{
	uint64_t owner = (uintptr_t)r;

	return owner <= OWNER ? percpu__ref_owner_process() | owner : 0;
}

struct percpu_ref *percpu__ref_owner_of(uint64_t packed, uint64_t process)
{
	return process != 0 && (packed & ~OWNER) == process ?
		       (struct percpu_ref *)(uintptr_t)(packed & OWNER) :
		       NULL;
}

void percpu__ref_owner_set(void PERCPU *h, struct percpu_ref *r,
			   percpu_ref_fn *release)
{
	uint64_t packed = percpu__ref_owner_pack(r);
	uint64_t which = 0;

	if ((percpu__ref_load(r) & PERCPU__REF_ADAPTS) == 0 && packed != 0)
		which = number(release);
	store(h, which != 0 ? which << WHICH | packed : (uintptr_t)release);
}

struct percpu_ref *percpu__ref_owner(void PERCPU *h)
{
	uint64_t v = load(h);

	return v > RELEASE ? (struct percpu_ref *)(uintptr_t)(v & OWNER) : NULL;
}

bool percpu__ref_owner_is_known(void PERCPU *h)
{
	uint64_t v = load(h);

	return v > RELEASE &&
	       percpu__ref_owner_of(v & RELEASE, percpu__ref_owner_process());
}

percpu_ref_fn *percpu__ref_owner_release(void PERCPU *h)
{
	uint64_t v = load(h);

	return v > RELEASE ? __atomic_load_n(&functions[v >> WHICH],
					     __ATOMIC_RELAXED) :
			     (percpu_ref_fn *)(uintptr_t)v;
}

void percpu__ref_owner_forget(void PERCPU *h)
{
	if (load(h) > RELEASE)
		store(h, (uintptr_t)percpu__ref_owner_release(h));
}

void percpu__ref_owner_leave(void PERCPU *h, struct percpu_ref *r)
{
	percpu__ref_owner_forget(h);
	__atomic_store_n(&r->guarded.handle,
			 (void PERCPU *)(uintptr_t)percpu__ref_owner_release(h),
			 __ATOMIC_RELAXED);
}
