/* SPDX-License-Identifier: MIT */
/*
 * area_libc.c: glibc 2.35 and later.
 *
 * Every thread has an area at __rseq_offset from its thread pointer, also when
 * glibc does not register it (tunable glibc.pthread.rseq=0, or the kernel
 * refused the first thread: __rseq_size is 0); then a thread starts with a
 * cpu_id of -2, unless its creator is registered by then, whom glibc imitates.
 * Where glibc does not register, this library registers that same area. That
 * is one system call, which changes nothing if it was made before and keeps no
 * state here, so it may happen anywhere, in a signal handler too; the area
 * lives as long as the thread, which is what the kernel asks for, so nothing is
 * to be undone at the thread's end.
 *
 * Where glibc does register, a thread without registration is left alone: it
 * was refused, or somebody undid it on purpose.
 */
#include "area.h"

#include "os.h"

#include <errno.h>
#include <stdatomic.h>

/* Set once a registration was refused: nobody asks again. */
static atomic_bool refused;

bool percpu__area_offset(int64_t *offset)
{
	*offset = __rseq_offset;
	return true;
}

static bool registered(void)
{
	return percpu__area_cpu(percpu__area()) >= 0;
}

static int attach(void)
{
	struct percpu__area *area = percpu__area();
	int ret = percpu__os_rseq(area, sizeof(*area), 0, PERCPU__RSEQ_SIG);

	if (ret == 0 && !registered())
		ret = -EIO;
	if (ret < 0 && ret != -EBUSY)
		atomic_store_explicit(&refused, true, memory_order_relaxed);
	return ret;
}

bool percpu__area_attach(bool in_handler)
{
	(void)in_handler;
	if (__rseq_size != 0 || registered() ||
	    atomic_load_explicit(&refused, memory_order_relaxed))
		return false;
	return attach() == 0;
}

/*
 * glibc registers, but this thread has no live registration. Whether the
 * kernel runs sequences at all is found on a scratch area, for a moment.
 */
static int probe_kernel(void)
{
	static struct percpu__area scratch;
	int ret;
	bool works;

	__atomic_store_n(&scratch.cpu_id, (uint32_t)-1, __ATOMIC_RELAXED);
	ret = percpu__os_rseq(&scratch, sizeof(scratch), 0, PERCPU__RSEQ_SIG);
	if (ret < 0)
		return ret;
	works = percpu__area_cpu(&scratch) >= 0;
	percpu__os_rseq(&scratch, sizeof(scratch), 1, PERCPU__RSEQ_SIG);
	return works ? 0 : -EIO;
}

int percpu__area_start(enum percpu__owner *owner)
{
	int ret;

	if (__rseq_size != 0) {
		*owner = PERCPU__OWNER_LIBC;
		return percpu__area_live(percpu__area()) ? 0 : probe_kernel();
	}
	*owner = PERCPU__OWNER_SELF;
	if (registered())
		return 0;
	ret = attach();
	return ret;
}
