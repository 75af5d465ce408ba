/* SPDX-License-Identifier: MIT */
#ifndef TESTS_LIMITS_LOCKED_H
#define TESTS_LIMITS_LOCKED_H
/*
 * locked.h: processes whose memory is locked.
 */
#include "check.h"

#include <errno.h>
#include <linux/capability.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Whether the process may lock any amount; from now on no more if @drop. */
static inline bool may_lock_all(bool drop)
{
	struct __user_cap_header_struct who = { _LINUX_CAPABILITY_VERSION_3,
						0 };
	struct __user_cap_data_struct may[2];
	uint32_t bit = 1u << CAP_IPC_LOCK;
	bool had;

	CHECK(syscall(SYS_capget, &who, may) == 0);
	had = (may[0].effective & bit) != 0;
	may[0].effective &= ~bit;
	if (drop)
		CHECK(syscall(SYS_capset, &who, may) == 0);
	return had;
}

/* No more than @bytes from now on, or what this user may; returns it. */
static inline size_t lock_at_most(size_t bytes)
{
	struct rlimit limit;

	CHECK(getrlimit(RLIMIT_MEMLOCK, &limit) == 0);
	limit.rlim_cur = bytes;
	if (limit.rlim_max < bytes) {
		const struct rlimit more = { bytes, bytes };

		if (setrlimit(RLIMIT_MEMLOCK, &more) == 0)
			limit = more;
		else
			limit.rlim_cur = limit.rlim_max;
	}
	CHECK(setrlimit(RLIMIT_MEMLOCK, &limit) == 0);
	may_lock_all(true);
	return limit.rlim_cur;
}

/* Skip where no more than @bytes can be locked. */
static inline void need_locked(size_t bytes)
{
	struct rlimit limit;

	CHECK(getrlimit(RLIMIT_MEMLOCK, &limit) == 0);
	if (limit.rlim_cur < bytes && !may_lock_all(false))
		SKIP("this user may lock %zu bytes", (size_t)limit.rlim_cur);
}

/* Lock what there is and what comes; @more is 0 or MCL_ONFAULT. */
static inline void lock_all(int more)
{
	if (mlockall(MCL_CURRENT | MCL_FUTURE | more) != 0)
		SKIP("mlockall: %s", strerror(errno));
}

#endif
