/* SPDX-License-Identifier: MIT */
/*
 * Variables in C++: in namespaces, of class types, and of a C file; there before
 * C++'s own objects and after them.
 */
#include "values.h"

#include <unistd.h>

namespace app
{
struct pair {
	constexpr pair(int a, int b) : first(a), second(b)
	{
	}
	int first;
	int second;
};

PERCPU_DEFINE(pair, couple) = { 4, 5 };
static PERCPU_DEFINE(long, mine) = 6;
PERCPU_DEFINE_CACHELINE(int[3], three) = { 7, 8, 9 };
} // namespace app

static PERCPU_DEFINE(long, mine) = 16;

static const struct object {
	object()
	{
		check_units();
		CHECK_EQ(percpu_ptr(percpu_var(app::couple), 0)->second, 5);
		percpu_inc(percpu_var(plain));
	}
	~object()
	{
		percpu_inc(percpu_var(plain));
		if (percpu_sum(percpu_var(plain)) != 2)
			_exit(TEST_FAIL);
	}
} object;

int main()
{
	CHECK_EQ(percpu_sum(percpu_var(plain)), 1);
	CHECK_EQ(percpu_read(percpu_var(mine)), 16);
	CHECK_EQ(percpu_read(percpu_var(app::mine)), 6);
	CHECK_EQ(percpu_read(&percpu_var(app::couple)->first), 4);
	CHECK_EQ((*percpu_this_ptr(percpu_var(app::three)))[2], 9);
	CHECK_EQ(percpu_read(mine_of_variables()), 11);
	return TEST_PASS;
}
