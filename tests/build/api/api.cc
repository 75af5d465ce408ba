/* SPDX-License-Identifier: MIT */
/*
 * Every template of ops_cxx.h and the rest of the public headers in C++: each
 * width, signed and unsigned, enums, pointers, floating point, fields;
 * arguments are evaluated once.
 */
#include <percpu/percpu.h>

#include "check.h"

#include <type_traits>

namespace
{

enum colour { RED = 1, GREEN = 2, BLUE = 4 };
enum class level : uint8_t { low, high };

struct fields {
	uint64_t packets;
	int16_t delta;
	const char *name;
	colour paint;
	volatile uint32_t seen;
	level where;
	struct {
		uint32_t pair[2];
	} inner;
};

/* The integer operations on one type; the sum of the slots tells. */
template <class T> void integer()
{
	T PERCPU *h = percpu_new(T);
	T one = 1;
	T *slot;
	T total = 0;

	static_assert(std::is_same<decltype(percpu_sum(h)), T>::value,
		      "a sum has the type of the object");
	static_assert(std::is_same<decltype(percpu_read(h)), T>::value,
		      "a read has the type of the object");
	CHECK(h != nullptr);
	percpu_add(h, 5);
	percpu_sub(h, one);
	percpu_inc(h);
	percpu_dec(h);
	percpu_dec(h);
	CHECK(percpu_sum(h) == static_cast<T>(3));
	percpu_for_each_slot (slot, h)
		total = static_cast<T>(total + *slot);
	CHECK(total == static_cast<T>(3));
	percpu_add(h, -4);
	CHECK(percpu_sum(h) == static_cast<T>(-1));
	percpu_free(h);
}

/* Write in this slot until a read finds it there: the thread may move. */
template <class T> void write_and_read(T v)
{
	T PERCPU *h = percpu_new(T);
	unsigned tries = 0;

	CHECK(h != nullptr);
	do
		percpu_write(h, v);
	while (percpu_read(h) != v && ++tries < 1000);
	CHECK(tries < 1000);
	percpu_free(h);
}

/* An enum is an integer, a field is one object, a sum is of its own type. */
void on_fields()
{
	fields PERCPU *h = percpu_new(fields);

	CHECK(h != nullptr);
	percpu_add(&h->packets, 3);
	percpu_dec(&h->delta);
	percpu_add(&h->paint, BLUE);
	percpu_add(&h->where, level::high);
	percpu_inc(&h->seen);
	percpu_add(&h->inner.pair[1], 7);
	percpu_write(&h->name, "eth0");
	CHECK_EQ(percpu_sum(&h->packets), 3);
	CHECK(percpu_sum(&h->delta) == -1);
	CHECK(percpu_sum(&h->paint) == BLUE);
	CHECK(percpu_sum(&h->where) == level::high);
	CHECK_EQ(percpu_sum(&h->seen), 1);
	CHECK_EQ(percpu_sum(&h->inner.pair[0]), 0);
	CHECK_EQ(percpu_sum(&h->inner.pair[1]), 7);
	percpu_free(h);
}

void pointers()
{
	fields PERCPU *h = percpu_new(fields);
	void PERCPU *raw = h;
	fields *at;
	unsigned count = 0;

	CHECK(h != nullptr);
	percpu_ptr(h, 0)->packets = 1;
	percpu_shared_ptr(h)->packets = 2;
	percpu_for_each_slot (at, h) {
		CHECK(at == percpu_ptr(h, count));
		CHECK(at == percpu_ptr(raw, count));
		count++;
	}
	CHECK_EQ(count, percpu_nr_slots() + 1);
	CHECK_EQ(percpu_sum(&h->packets), 3);
	CHECK(percpu_shared_ptr(h) == percpu_ptr(h, percpu_nr_slots()));
	CHECK(percpu_this_ptr(h) != nullptr);
	percpu_free(h);
}

/* The value is converted to the type of the object before it is used. */
void conversion()
{
	uint64_t PERCPU *h = percpu_new(uint64_t);
	uint8_t PERCPU *narrow = percpu_new(uint8_t);

	CHECK(h != nullptr && narrow != nullptr);
	percpu_sub(h, uint32_t{ 1 });
	CHECK_EQ(percpu_sum(h), UINT64_MAX);
	percpu_add(h, 1.9);
	CHECK_EQ(percpu_sum(h), 0);
	percpu_add(narrow, 0x1ff);
	CHECK_EQ(percpu_sum(narrow), 0xff);
	percpu_free(h);
	percpu_free(narrow);
}

/* percpu_for_each_slot is a macro in C++ too. */
void evaluated_once()
{
	uint64_t PERCPU *h = percpu_new(uint64_t);
	uint64_t *at;
	unsigned calls = 0;
	auto counted = [&] {
		calls++;
		return h;
	};

	CHECK(h != nullptr);
	percpu_for_each_slot (at, counted())
		(void)at;
	CHECK_EQ(calls, 1);
	percpu_free(h);
}

struct line {
	uint64_t v;
} PERCPU_LINE_ALIGNED;

struct padded {
	uint64_t before;
	PERCPU_LINE_PAD(pad);
	uint64_t after;
};

void lines()
{
	line PERCPU *h = percpu_new(line);

	CHECK(h != nullptr);
	CHECK_EQ(reinterpret_cast<uintptr_t>(percpu_ptr(h, 0)) % PERCPU_LINE,
		 0);
	CHECK(offsetof(padded, after) >= PERCPU_LINE + 8);
	CHECK_EQ(percpu_line_roundup(1), PERCPU_LINE);
	percpu_free(h);
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
	integer<char>();
	write_and_read(2.5);
	write_and_read(0.5f);
	write_and_read(true);
	write_and_read(GREEN);
	write_and_read(level::high);
	write_and_read(name);
	on_fields();
	pointers();
	conversion();
	evaluated_once();
	lines();
	return TEST_PASS;
}
