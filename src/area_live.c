/* SPDX-License-Identifier: MIT */
/*
 * area_live.c: does the kernel act on an area?
 *
 * 1. A negative cpu_id says no: it stands so before registration and after
 *    every orderly unregistration.
 * 2. Registering the same area again is refused with EBUSY by a kernel that
 *    has it. Success means that it had not (the values were stale), and now
 *    has: then the area is live from here on.
 * 3. Any other answer (another length was registered, a filter refuses the
 *    call) proves nothing. Then arm a sequence, leave the CPU outside of it and
 *    look: a kernel that acts on the area has cleared rseq_cs on the way back.
 */
#include "area.h"

#include "os.h"

#include <errno.h>

/* The kernel reads the signature before it looks where the thread is. */
static const uint32_t signature[2] = { PERCPU__RSEQ_SIG, 0 };

/* A sequence that no instruction is in. Pointers have 64 bits in sequences. */
static const struct {
	uint32_t version;
	uint32_t flags;
	uint64_t start_ip;
	uint64_t post_commit_offset;
	const void *abort_ip;
} __attribute__((aligned(32))) nowhere = { .abort_ip = &signature[1] };

static bool cleared_by_kernel(struct percpu__area *area)
{
	volatile uint64_t *cs = &area->rseq_cs;

	*cs = (uintptr_t)&nowhere;
	percpu__os_doze();
	if (*cs == 0)
		return true;
	*cs = 0;
	return false;
}

bool percpu__area_live(struct percpu__area *area)
{
	volatile uint32_t *cpu_id = &area->cpu_id;
	int ret;

	if ((int32_t)*cpu_id < 0)
		return false;
	ret = percpu__os_rseq(area, sizeof(*area), 0, PERCPU__RSEQ_SIG);
	if (ret == -EBUSY)
		return true;
	return cleared_by_kernel(area) && (int32_t)*cpu_id >= 0;
}
