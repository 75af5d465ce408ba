/* SPDX-License-Identifier: MIT */
/*
 * Every macro of ops.h and alloc.h in C: each width, signed and unsigned, an
 * enum, pointers, floating point, fields; arguments are evaluated once.
 */
#include <percpu/percpu.h>

#include "check.h"

enum colour { RED = 1, GREEN = 2, BLUE = 4 };

struct fields {
	uint64_t packets;
	int16_t delta;
	const char *name;
	enum colour colour;
	volatile uint32_t seen;
	struct {
		uint32_t pair[2];
	} inner;
};

/* The integer operations on one type; the sum of the slots tells. */
#define INTEGER(type)                                                          \
	static void integer_##type(void)                                       \
	{                                                                      \
		type PERCPU *h = percpu_new(type);                             \
		type one = 1;                                                  \
		type *slot;                                                    \
		type total = 0;                                                \
                                                                               \
		CHECK(h != NULL);                                              \
		percpu_add(h, 5);                                              \
		percpu_sub(h, one);                                            \
		percpu_inc(h);                                                 \
		percpu_dec(h);                                                 \
		percpu_dec(h);                                                 \
		CHECK(percpu_sum(h) == (type)3);                               \
		percpu_for_each_slot (slot, h)                                 \
			total = (type)(total + *slot);                         \
		CHECK(total == (type)3);                                       \
		percpu_add(h, -4);                                             \
		CHECK(percpu_sum(h) == (type)-1);                              \
		percpu_free(h);                                                \
	}

INTEGER(int8_t)
INTEGER(uint8_t)
INTEGER(int16_t)
INTEGER(uint16_t)
INTEGER(int32_t)
INTEGER(uint32_t)
INTEGER(int64_t)
INTEGER(uint64_t)
INTEGER(char)

/* Write @v in this slot until a read finds it there: the thread may move. */
#define WRITE_AND_READ(p, v)                                                   \
	do {                                                                   \
		unsigned tries = 0;                                            \
                                                                               \
		do                                                             \
			percpu_write(p, v);                                    \
		while (percpu_read(p) != (v) && ++tries < 1000);               \
		CHECK(tries < 1000);                                           \
	} while (0)

static void scalars(void)
{
	double PERCPU *d = percpu_new(double);
	float PERCPU *f = percpu_new(float);
	bool PERCPU *b = percpu_new(bool);
	enum colour PERCPU *e = percpu_new(enum colour);

	CHECK(d != NULL && f != NULL && b != NULL && e != NULL);
	WRITE_AND_READ(d, 2.5);
	WRITE_AND_READ(f, 0.5f);
	WRITE_AND_READ(b, true);
	WRITE_AND_READ(e, GREEN);
	percpu_free(d);
	percpu_free(f);
	percpu_free(b);
	percpu_free(e);
}

/* An enum is an integer, a field is one object, a sum is of its own type. */
static void fields(void)
{
	struct fields PERCPU *h = percpu_new(struct fields);
	const char *name = "eth0";

	CHECK(h != NULL);
	percpu_add(&h->packets, 3);
	percpu_dec(&h->delta);
	percpu_add(&h->colour, BLUE);
	percpu_inc(&h->seen);
	percpu_add(&h->inner.pair[1], 7);
	WRITE_AND_READ(&h->name, name);
	CHECK_EQ(percpu_sum(&h->packets), 3);
	CHECK(percpu_sum(&h->delta) == -1);
	CHECK(percpu_sum(&h->colour) == BLUE);
	CHECK_EQ(percpu_sum(&h->seen), 1);
	CHECK_EQ(percpu_sum(&h->inner.pair[0]), 0);
	CHECK_EQ(percpu_sum(&h->inner.pair[1]), 7);
	percpu_free(h);
}

static void pointers(void)
{
	struct fields PERCPU *h = percpu_new(struct fields);
	void PERCPU *raw = h;
	struct fields *at;
	unsigned count = 0;

	CHECK(h != NULL);
	percpu_ptr(h, 0)->packets = 1;
	percpu_shared_ptr(h)->packets = 2;
	percpu_for_each_slot (at, h) {
		CHECK(at == percpu_ptr(h, count));
		CHECK(at == percpu_ptr(raw, count));
		CHECK((char *)at - (char *)percpu_ptr(h, 0) ==
		      (ptrdiff_t)(count * percpu_stride()));
		count++;
	}
	CHECK_EQ(count, percpu_nr_slots() + 1);
	CHECK_EQ(percpu_sum(&h->packets), 3);
	CHECK(percpu_shared_ptr(h) == percpu_ptr(h, percpu_nr_slots()));
	CHECK(percpu_this_ptr(h) != NULL);
	percpu_free(h);
}

/* The value is converted to the type of the object before it is used. */
static void conversion(void)
{
	uint64_t PERCPU *h = percpu_new(uint64_t);
	uint8_t PERCPU *narrow = percpu_new(uint8_t);

	CHECK(h != NULL && narrow != NULL);
	percpu_sub(h, (uint32_t)1);
	CHECK_EQ(percpu_sum(h), UINT64_MAX);
	percpu_add(h, 1.9);
	CHECK_EQ(percpu_sum(h), 0);
	percpu_add(narrow, 0x1ff);
	CHECK_EQ(percpu_sum(narrow), 0xff);
	percpu_free(h);
	percpu_free(narrow);
}

static unsigned calls;

static unsigned counted(unsigned v)
{
	calls++;
	return v;
}

static uint64_t PERCPU *counted_handle(uint64_t PERCPU *h)
{
	calls++;
	return h;
}

#define ONCE(n, expression)                                                    \
	do {                                                                   \
		calls = 0;                                                     \
		(void)(expression);                                            \
		CHECK_EQ(calls, n);                                            \
	} while (0)

static void evaluated_once(void)
{
	uint64_t PERCPU *h = percpu_new(uint64_t);
	uint64_t *at;

	CHECK(h != NULL);
	ONCE(2, (percpu_add(counted_handle(h), counted(1)), 0));
	ONCE(2, (percpu_sub(counted_handle(h), counted(1)), 0));
	ONCE(1, (percpu_inc(counted_handle(h)), 0));
	ONCE(1, (percpu_dec(counted_handle(h)), 0));
	ONCE(2, (percpu_write(counted_handle(h), counted(1)), 0));
	ONCE(1, percpu_read(counted_handle(h)));
	ONCE(1, percpu_sum(counted_handle(h)));
	ONCE(2, percpu_ptr(counted_handle(h), counted(0)));
	ONCE(1, percpu_this_ptr(counted_handle(h)));
	ONCE(1, percpu_shared_ptr(counted_handle(h)));
	calls = 0;
	percpu_for_each_slot (at, counted_handle(h))
		(void)at;
	CHECK_EQ(calls, 1);
	percpu_free(h);
}

/* A type's own alignment is kept, and line padding is what it says. */
struct line {
	uint64_t v;
} PERCPU_LINE_ALIGNED;

struct padded {
	uint64_t before;
	PERCPU_LINE_PAD(pad);
	uint64_t after;
};

static void lines(void)
{
	struct line PERCPU *h = percpu_new(struct line);

	CHECK(h != NULL);
	CHECK_EQ((uintptr_t)percpu_ptr(h, 0) % PERCPU_LINE, 0);
	CHECK(offsetof(struct padded, after) >= PERCPU_LINE + 8);
	CHECK_EQ(percpu_line_roundup(0), 0);
	CHECK_EQ(percpu_line_roundup(1), PERCPU_LINE);
	CHECK_EQ(percpu_line_roundup(PERCPU_LINE), PERCPU_LINE);
	CHECK_EQ(percpu_line_roundup(SIZE_MAX), 0);
	percpu_free(h);
}

int main(void)
{
	integer_int8_t();
	integer_uint8_t();
	integer_int16_t();
	integer_uint16_t();
	integer_int32_t();
	integer_uint32_t();
	integer_int64_t();
	integer_uint64_t();
	integer_char();
	scalars();
	fields();
	pointers();
	conversion();
	evaluated_once();
	lines();
	return TEST_PASS;
}
