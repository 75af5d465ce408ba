/* SPDX-License-Identifier: MIT */
#ifndef TESTS_ABORT_BUILDS_COMMON_H
#define TESTS_ABORT_BUILDS_COMMON_H
/*
 * common.h: functions with sections that both C++ sources have, of which the
 * linker keeps one copy, with its descriptors, and drops the other.
 */
#include <percpu/percpu.h>

#ifdef __cplusplus
inline void count_inline(uint64_t PERCPU *h)
{
	percpu_add(h, 1);
	percpu_add(h, 2);
}

template <class T> void count_template(T PERCPU *h)
{
	percpu_inc(h);
	percpu_write(h, (T)(percpu_read(h) + 1));
}

struct counter {
	uint64_t PERCPU *h;

	explicit counter(uint64_t PERCPU *handle) : h(handle)
	{
		percpu_inc(h);
	}
	~counter()
	{
		percpu_dec(h);
	}
};

extern "C" {
#endif

void count_one(uint64_t PERCPU *h); /* adds 8 */
void count_two(uint64_t PERCPU *h); /* adds 8 */
void count_c(uint64_t PERCPU *h);   /* adds 10 */

#ifdef __cplusplus
}
#endif
#endif
