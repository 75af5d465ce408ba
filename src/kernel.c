/* SPDX-License-Identifier: MIT */
/*
 * kernel.c: what the kernel's names need of the library: static variables, the
 * size of lines, a lock whose callers expect no error.
 *
 * Static variables are one variable of statics.c for each program, library or
 * plug-in, whose image is a section of it. The section's address tells how it
 * is aligned: at least as the linker aligned it, which is as its variables ask.
 * Each file that includes kernel/static.h has a constructor and a destructor,
 * and they share one area; the dynamic linker runs them one at a time. The
 * first constructor makes the object, the last destructor frees it.
 *
 * A static lock counts its readers in its word until a constructor spreads it:
 *
 * 1. It does so as the lock's writer, so nobody reads, and readers in the word
 *    and in the slots, which nobody has used, are 0.
 * 2. A section that runs meanwhile may have loaded that there are no slots. It
 *    has ended, or restarts and finds them, when the fence is over, and only
 *    then the writer leaves, which lets sections in.
 * 3. Without the fence the lock stays as it was.
 */
#include "message.h"
#include "mutex.h"
#include "policy.h"
#include "statics.h"

#include <percpu/alloc.h>
#include <percpu/cpu.h>
#include <percpu/kernel/cache.h>
#include <percpu/kernel/rwsem.h>
#include <percpu/kernel/static.h>

#include <string.h>

#define ALIGN_MAX 4096u

/* The same each time: threads that do it at once write what is there. */
static struct percpu__static *record(struct percpu__kernel_area *area,
				     const void *start, const void *stop)
{
	struct percpu__static *r = &area->record;
	uintptr_t lowest = (uintptr_t)start & (0 - (uintptr_t)start);
	size_t size = (size_t)((uintptr_t)stop - (uintptr_t)start);

	__atomic_store_n(&r->handle, &area->handle, __ATOMIC_RELAXED);
	__atomic_store_n(&r->image, start, __ATOMIC_RELAXED);
	__atomic_store_n(&r->image_size, size, __ATOMIC_RELAXED);
	__atomic_store_n(&r->size, size, __ATOMIC_RELAXED);
	__atomic_store_n(&r->align, lowest < ALIGN_MAX ? lowest : ALIGN_MAX,
			 __ATOMIC_RELAXED);
	__atomic_store_n(&r->shared_too, 1, __ATOMIC_RELAXED);
	return r;
}

void percpu__kernel_load(struct percpu__kernel_area *area, const void *start,
			 const void *stop)
{
	if (start != stop && area->files++ == 0)
		percpu__statics_load(record(area, start, stop));
}

void percpu__kernel_unload(struct percpu__kernel_area *area)
{
	if (area->files > 0 && --area->files == 0)
		percpu__statics_unload(&area->record);
}

bool percpu__kernel_again(struct percpu__kernel_area *area, const void *start,
			  const void *stop)
{
	return percpu__statics_again(record(area, start, stop));
}

void *percpu__kernel_late(struct percpu__kernel_area *area, const void *start,
			  const void *stop)
{
	struct percpu__static *r = record(area, start, stop);
	void *h = percpu__statics_late(r);

	if (h == NULL)
		percpu__message_abort(
			"DEFINE_PER_CPU: no memory for static variables of %zu bytes; at most %zu are had",
			r->size, percpu_max_size());
	return h;
}

int percpu__kernel_line_size(void)
{
	static int size;
	int known = __atomic_load_n(&size, __ATOMIC_RELAXED);

	if (known == 0) {
		known = (int)percpu_line_size();
		__atomic_store_n(&size, known, __ATOMIC_RELAXED);
	}
	return known;
}

void percpu__kernel_down_write(struct percpu_rw_semaphore *sem)
{
	int err = percpu_rwlock_write_lock(&sem->lock);

	if (err < 0)
		percpu__message_abort("percpu_down_write(%p): %s",
				      (const void *)sem, strerror(-err));
}

void percpu__kernel_spread(struct percpu_rw_semaphore *sem, void PERCPU *slots)
{
	struct percpu_rwlock *l = &sem->lock;

	if (percpu__mutex_start() < 0 ||
	    percpu__policy().mode != PERCPU_MODE_RSEQ ||
	    percpu_rwlock_write_lock(l) != 0)
		return;
	l->guarded.handle = slots;
	__atomic_store_n(&l->atomic, percpu_fence() != 0, __ATOMIC_RELEASE);
	percpu_rwlock_write_unlock(l);
}
