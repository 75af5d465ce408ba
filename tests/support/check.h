/* SPDX-License-Identifier: MIT */
#ifndef TESTS_SUPPORT_CHECK_H
#define TESTS_SUPPORT_CHECK_H
/*
 * check.h: all that a test program needs. A test is one program for one
 * behaviour; its first line says which. It exits with one of these.
 */
#include <stdio.h>
#include <stdlib.h>

enum {
	TEST_PASS = 0,
	TEST_FAIL = 1,
	TEST_SKIP = 77 /* this machine lacks what the test is about */
};

#define FAIL(...)                                                              \
	do {                                                                   \
		fprintf(stderr, "%s:%d: ", __FILE__, __LINE__);                \
		fprintf(stderr, __VA_ARGS__);                                  \
		fputc('\n', stderr);                                           \
		exit(TEST_FAIL);                                               \
	} while (0)

#define CHECK(cond)                                                            \
	do {                                                                   \
		if (!(cond))                                                   \
			FAIL("%s does not hold", #cond);                       \
	} while (0)

/* Two unsigned 64-bit values that must be equal, shown when they are not. */
#define CHECK_EQ(got, want)                                                    \
	do {                                                                   \
		unsigned long long got_ = (unsigned long long)(got);           \
		unsigned long long want_ = (unsigned long long)(want);         \
                                                                               \
		if (got_ != want_)                                             \
			FAIL("%s is %llu, not %llu", #got, got_, want_);       \
	} while (0)

#define SKIP(...)                                                              \
	do {                                                                   \
		printf("skipped: ");                                           \
		printf(__VA_ARGS__);                                           \
		putchar('\n');                                                 \
		exit(TEST_SKIP);                                               \
	} while (0)

#endif
