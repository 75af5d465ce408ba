/* SPDX-License-Identifier: MIT */
/*
 * The operations on bits and those with a result, stack.h and section.h in C:
 * each width, every kind of scalar; arguments are evaluated once.
 */
#include <percpu/percpu.h>

#include "check.h"
#include <errno.h>

enum colour { RED = 1, GREEN = 2, BLUE = 4 };

/* A thread that moves goes on in another slot: start anew, on an object anew. */
#define IN_ONE_SLOT(type, statements)                                          \
	do {                                                                   \
		unsigned tries = 0;                                            \
		int cpu;                                                       \
                                                                               \
		do {                                                           \
			type PERCPU *h = percpu_new(type);                     \
                                                                               \
			CHECK(h != NULL && ++tries < 1000);                    \
			wrong = 0;                                             \
			cpu = percpu_this_cpu();                               \
			statements;                                            \
			percpu_free((void PERCPU *)(uintptr_t)h);              \
		} while (cpu != percpu_this_cpu() || (wrong && tries < 900));  \
		if (wrong)                                                     \
			FAIL("line %d", wrong);                                \
	} while (0)

static int wrong;

static void expect(int is, int line)
{
	if (!is && wrong == 0)
		wrong = line;
}

#define EXPECT(is) expect(is, __LINE__)

#define INTEGER(type)                                                          \
	static void integer_##type(void)                                       \
	{                                                                      \
		type old = 1;                                                  \
                                                                               \
		IN_ONE_SLOT(type, {                                            \
			old = 1;                                               \
			percpu_or(h, 0x33);                                    \
			percpu_and(h, 0x12);                                   \
			percpu_xor(h, 0x03);                                   \
			EXPECT(percpu_read(h) == 0x11);                        \
			EXPECT(percpu_add_return(h, 4) == 0x15);               \
			EXPECT(percpu_add_return(h, -0x16) == (type)-1);       \
			EXPECT(percpu_xchg(h, 7) == (type)-1);                 \
			EXPECT(percpu_cmpxchg(h, 6, 8) == 7);                  \
			EXPECT(percpu_cmpxchg(h, 7, 9) == 7);                  \
			EXPECT(!percpu_try_cmpxchg(h, &old, 10));              \
			EXPECT(old == 9);                                      \
			EXPECT(percpu_try_cmpxchg(h, &old, -2));               \
			EXPECT(old == 9);                                      \
			EXPECT(percpu_sum(h) == (type)-2);                     \
		});                                                            \
	}

INTEGER(int8_t)
INTEGER(uint8_t)
INTEGER(int16_t)
INTEGER(uint16_t)
INTEGER(int32_t)
INTEGER(uint32_t)
INTEGER(int64_t)
INTEGER(uint64_t)

/* What has a result may be called for its effect alone. */
static void scalars(void)
{
	static const char name[] = "eth0";

	IN_ONE_SLOT(double, {
		percpu_xchg(h, 2.5);
		EXPECT(percpu_cmpxchg(h, 2.5, 1) == 2.5);
		EXPECT(percpu_xchg(h, 0) == 1.0);
	});
	IN_ONE_SLOT(bool, {
		percpu_cmpxchg(h, false, true);
		EXPECT(percpu_xchg(h, false));
	});
	IN_ONE_SLOT(enum colour, {
		percpu_or(h, GREEN);
		percpu_add_return(h, RED);
		EXPECT(percpu_xchg(h, BLUE) == 3);
		EXPECT(percpu_cmpxchg(h, BLUE, RED) == BLUE);
	});
	IN_ONE_SLOT(const char *, {
		const char *old = NULL;

		EXPECT(percpu_try_cmpxchg(h, &old, name));
		EXPECT(!percpu_try_cmpxchg(h, &old, NULL));
		EXPECT(old == name);
		EXPECT(percpu_xchg(h, NULL) == name);
	});
	IN_ONE_SLOT(volatile uint32_t, {
		uint32_t old = 0;

		EXPECT(percpu_try_cmpxchg(h, &old, 5));
		EXPECT(percpu_xchg(h, 6) == 5);
	});
}

static unsigned calls;

static uint32_t PERCPU *count_calls(uint32_t PERCPU *h)
{
	calls++;
	return h;
}

static uint32_t one(void)
{
	calls++;
	return 1;
}

static void once(void)
{
	uint32_t PERCPU *h = percpu_new(uint32_t);
	uint32_t old = 0;
	uint32_t *at = &old;

	CHECK(h != NULL);
	percpu_and(count_calls(h), one());
	percpu_or(count_calls(h), one());
	percpu_xor(count_calls(h), one());
	percpu_add_return(count_calls(h), one());
	percpu_xchg(count_calls(h), one());
	CHECK_EQ(calls, 10);
	percpu_cmpxchg(count_calls(h), one(), one());
	percpu_try_cmpxchg(count_calls(h), at++, one());
	CHECK_EQ(calls, 15);
	CHECK(at == &old + 1);
	percpu_free(h);
}

static void stacks(void)
{
	struct percpu_stack PERCPU *s = percpu_stack_new(2);
	const char *why;
	uint64_t item = 77;
	int pushed;

	CHECK(s != NULL);
	CHECK(percpu_pop(s, &item) == -ENOENT);
	CHECK_EQ(item, 77);
	pushed = percpu_push(s, 2, 5);
	CHECK_EQ(percpu_sum(&s->count), pushed == 0);
	CHECK(pushed == 0 || percpu_backend(&why) != PERCPU_MODE_RSEQ ||
	      percpu__try_this(s) == percpu_shared_ptr(s));
	CHECK(percpu_push(s, 0, 6) == -ENOSPC);
	percpu_free(s);
	errno = 0;
	CHECK(percpu_stack_new(SIZE_MAX) == NULL);
	CHECK_EQ(errno, ENOMEM);
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
	scalars();
	once();
	stacks();
	return TEST_PASS;
}
