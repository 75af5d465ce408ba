/* SPDX-License-Identifier: MIT */
/*
 * A fence that is refused when the lock is there: the writer says so, has
 * nothing, and readers go on, those too that waited meanwhile.
 */
#include "check.h"
#include "refuse.h"

#include <errno.h>
#include <percpu/percpu.h>
#include <sys/syscall.h>

int main(void)
{
	struct percpu_rwlock lock;

	CHECK(percpu_rwlock_init(&lock) == 0);
	if (percpu_fence() != 0 || percpu_backend(NULL) != PERCPU_MODE_RSEQ)
		SKIP("no lock here uses a fence");
	refuse(__NR_membarrier, EPERM);
	CHECK(percpu_rwlock_write_lock(&lock) == -EOPNOTSUPP);
	percpu_rwlock_read_lock(&lock);
	CHECK(percpu_rwlock_write_lock(&lock) == -EOPNOTSUPP);
	CHECK(percpu_rwlock_read_trylock(&lock));
	percpu_rwlock_read_unlock(&lock);
	percpu_rwlock_read_unlock(&lock);
	percpu_rwlock_destroy(&lock);
	CHECK(percpu_rwlock_init(&lock) == 0);
	percpu_rwlock_read_lock(&lock);
	percpu_rwlock_read_unlock(&lock);
	CHECK(percpu_rwlock_write_lock(&lock) == 0);
	percpu_rwlock_write_unlock(&lock);
	percpu_rwlock_destroy(&lock);
	return TEST_PASS;
}
