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

/* The kernel's struct rseq_cs. */
struct descriptor {
	uint32_t version;
	uint32_t flags;
	uint64_t start_ip;
	uint64_t post_commit_offset;
	uint64_t abort_ip;
} __attribute__((aligned(32)));

/*
 * Arm a sequence that no instruction is in. The kernel looks for the signature
 * before its abort address all the same, and kills where it finds none.
 */
static bool cleared_by_kernel(struct percpu__area *area)
{
	static const uint32_t signature[2] = { PERCPU__RSEQ_SIG };
	const struct descriptor nowhere = {
		.abort_ip = (uintptr_t)&signature[1],
	};

	__atomic_store_n(&area->rseq_cs, (uintptr_t)&nowhere, __ATOMIC_RELEASE);
	percpu__os_doze();
	return __atomic_exchange_n(&area->rseq_cs, 0, __ATOMIC_RELAXED) == 0;
}

bool percpu__area_live(struct percpu__area *area)
{
	int ret;

	if (percpu__area_cpu(area) < 0)
		return false;
	ret = percpu__os_rseq(area, sizeof(*area), 0, PERCPU__RSEQ_SIG);
	if (ret == -EBUSY)
		return true;
	return cleared_by_kernel(area) && percpu__area_cpu(area) >= 0;
}
