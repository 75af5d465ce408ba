/* SPDX-License-Identifier: MIT */
/*
 * The operations on bits and those with a result, stack.h and section.h in C++:
 * each width, every kind of scalar; results have the type of the object.
 */
#include <percpu/percpu.h>

#include "check.h"

#include <cerrno>
#include <type_traits>

namespace
{

enum colour { RED = 1, GREEN = 2, BLUE = 4 };
enum class level : uint8_t { low, high };

/* Wrong results count only where the thread stayed in one slot. */
template <class T, class F> void in_one_slot(F f)
{
	for (int i = 0; i < 1000; i++) {
		T PERCPU *h = percpu_new(T);
		int cpu = percpu_this_cpu();
		bool right;

		CHECK(h != nullptr);
		right = f(h);
		percpu_free(h);
		if (right)
			return;
		if (i > 900 && cpu == percpu_this_cpu())
			FAIL("a wrong result");
	}
}

template <class T> void integer()
{
	in_one_slot<T>([](T PERCPU *h) {
		T old = 1;
		bool ok;

		static_assert(
			std::is_same<decltype(percpu_xchg(h, 1)), T>::value,
			"a result has the type of the object");
		percpu_or(h, 0x33);
		percpu_and(h, 0x12);
		percpu_xor(h, 0x03);
		ok = percpu_read(h) == 0x11;
		ok &= percpu_add_return(h, 4) == 0x15;
		ok &= percpu_add_return(h, -0x16) == static_cast<T>(-1);
		ok &= percpu_xchg(h, 7) == static_cast<T>(-1);
		ok &= percpu_cmpxchg(h, 6, 8) == 7;
		ok &= percpu_cmpxchg(h, 7, 9) == 7;
		ok &= !percpu_try_cmpxchg(h, &old, 10) && old == 9;
		ok &= percpu_try_cmpxchg(h, &old, -2) && old == 9;
		return ok && percpu_sum(h) == static_cast<T>(-2);
	});
}

template <class T> void scalar(T v)
{
	in_one_slot<T>([v](T PERCPU *h) {
		T old = T();

		percpu_xchg(h, old);
		return percpu_try_cmpxchg(h, &old, v) &&
		       percpu_cmpxchg(h, v, v) == v && percpu_xchg(h, v) == v;
	});
}

void stacks()
{
	percpu_stack PERCPU *s = percpu_stack_new(2);
	uint64_t item = 77;

	CHECK(s != nullptr);
	CHECK(percpu_pop(s, &item) == -ENOENT);
	CHECK_EQ(item, 77);
	CHECK(percpu_push(s, 0, 6) == -ENOSPC);
	percpu_free(s);
}

} // namespace

int main()
{
	const char *name = "eth0";

	integer<int8_t>();
	integer<uint8_t>();
	integer<int16_t>();
	integer<uint16_t>();
	integer<int32_t>();
	integer<uint32_t>();
	integer<int64_t>();
	integer<uint64_t>();
	scalar(2.5);
	scalar(0.5f);
	scalar(true);
	scalar(GREEN);
	scalar(level::high);
	scalar(name);
	stacks();
	return TEST_PASS;
}
