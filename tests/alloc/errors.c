/* SPDX-License-Identifier: MIT */
/*
 * What percpu_alloc refuses, with which errno; nothing changes by it. Freeing
 * NULL does nothing.
 */
#include "slots.h"

#include <unistd.h>

static void refused(size_t size, size_t align, int err)
{
	errno = 0;
	if (percpu_alloc(size, align) != NULL)
		FAIL("%zu bytes at %zu were given", size, align);
	CHECK_EQ(errno, err);
}

int main(void)
{
	char PERCPU *before = must_alloc(8, 8);
	char PERCPU *after;
	size_t max = percpu_max_size();
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	refused(0, 1, EINVAL);
	refused(0, 0, EINVAL);
	refused(8, 0, EINVAL);
	refused(8, 3, EINVAL);
	refused(8, 24, EINVAL);
	refused(8, page + 1, EINVAL);
	refused(8, SIZE_MAX, EINVAL);
	refused(SIZE_MAX, 3, EINVAL);
	refused(max + 1, 1, ENOMEM);
	refused(max + page, 8, ENOMEM);
	refused(SIZE_MAX, 8, ENOMEM);
	refused(SIZE_MAX - 3, 4, ENOMEM);
	refused((size_t)1 << 34, 8, ENOMEM);
	refused(((size_t)1 << 34) + 8, 8, ENOMEM);
	refused(8, 2 * page, ENOMEM);
	refused(8, (size_t)1 << 34, ENOMEM);
	refused(8, (size_t)1 << 63, ENOMEM);
	after = must_alloc(8, 8);
	CHECK(after - before == 8 || !OBJECTS_ARE_PLAIN);
	percpu_free(NULL);
	percpu_free(before);
	percpu_free(after);
	return TEST_PASS;
}
