/* SPDX-License-Identifier: MIT */
#ifndef TESTS_COUNTER_LIMITED_H
#define TESTS_COUNTER_LIMITED_H
/*
 * limited.h: what limited_add must do of one thread, and many that fill up a
 * counter by it; of who includes this, who defines it.
 */
#include "check.h"
#include "crowd.h"
#include "of.h"

static COUNTER counter;

static inline void check(bool want, int64_t limit, int64_t v)
{
	int64_t sum = OF(sum)(&counter);

	CHECK_EQ(OF(limited_add)(&counter, limit, v), want);
	CHECK_EQ(OF(sum)(&counter), want ? sum + v : sum);
}

static inline void check_limits(void)
{
	OF(add)(&counter, 20);
	check(true, -50, 0);
	check(true, 100, 79);
	check(false, 100, 2);
	check(true, 100, 1);
	check(false, 100, 1);
	check(true, 100, 0);
	check(false, -100, -201);
	check(true, -100, -200);
	check(false, -100, -1);
	check(true, 1000000, 5000);
	check(false, 1000000, INT64_MAX);
	check(true, INT64_MAX, INT64_MAX - 4900);
	check(false, INT64_MAX, 1);
	OF(set)(&counter, INT64_MIN + 1);
	check(true, INT64_MIN, -1);
	check(false, INT64_MIN, -1);
	OF(set)(&counter, 0);
	check(false, INT64_MAX, INT64_MIN);
	check(true, INT64_MIN, INT64_MIN);
}

static inline void *fill(void *limit)
{
	while (OF(limited_add)(&counter, *(const int64_t *)limit, 1))
		;
	return NULL;
}

static inline void fill_up(int64_t limit)
{
	pthread_t thread[CROWD];

	for (unsigned i = 0; i < CROWD; i++)
		CHECK(pthread_create(&thread[i], NULL, fill, &limit) == 0);
	for (unsigned i = 0; i < CROWD; i++)
		CHECK(pthread_join(thread[i], NULL) == 0);
}

#endif
