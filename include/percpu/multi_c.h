/* SPDX-License-Identifier: MIT */
#ifndef PERCPU_MULTI_C_H
#define PERCPU_MULTI_C_H
/*
 * multi_c.h: the macros of multi.h for C. Include multi.h.
 */

/* The macro after those that stand for larger counts than there are. */
#define PERCPU__PICK(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s,  \
		     t, name, ...)                                             \
	name

/* Instead of a call with a count that there is not. */
#define PERCPU__WRONG_COUNT(...)                                               \
	((void)sizeof(struct {                                                 \
		_Static_assert(0, "no such count of arguments");               \
		char c;                                                        \
	}))

/* Pair number @k, as arch.h wants it for PERCPU__ADD_N. */
#define PERCPU__PAIR(k, p, v)                                                  \
	enum { percpu__w##k = PERCPU__INT_SIZE(p) };                           \
	void PERCPU *const percpu__h##k = PERCPU__ERASE(p);                    \
	const uint64_t percpu__v##k = (uint64_t)(PERCPU__TYPE(p))(v);          \
	percpu__asan_store(percpu__h##k, percpu__w##k);

#define PERCPU__ALL_2(p0, v0) percpu_add(p0, v0)
#define PERCPU__ALL_4(p0, v0, p1, v1)                                          \
	__extension__({ PERCPU__PAIR(0, p0, v0) PERCPU__PAIR(1, p1, v1)        \
				PERCPU__ADD_2 })
#define PERCPU__ALL_6(p0, v0, p1, v1, p2, v2)                                  \
	__extension__({ PERCPU__PAIR(0, p0, v0) PERCPU__PAIR(1, p1, v1)        \
				PERCPU__PAIR(2, p2, v2) PERCPU__ADD_3 })
#define PERCPU__ALL_8(p0, v0, p1, v1, p2, v2, p3, v3)                          \
	__extension__({ PERCPU__PAIR(0, p0, v0) PERCPU__PAIR(                  \
		1, p1, v1) PERCPU__PAIR(2, p2, v2) PERCPU__PAIR(3, p3, v3)     \
				PERCPU__ADD_4 })
#define PERCPU__ALL_10(p0, v0, p1, v1, p2, v2, ...)                            \
	(PERCPU__ALL_6(p0, v0, p1, v1, p2, v2), PERCPU__ALL_4(__VA_ARGS__))
#define PERCPU__ALL_12(p0, v0, p1, v1, p2, v2, ...)                            \
	(PERCPU__ALL_6(p0, v0, p1, v1, p2, v2), PERCPU__ALL_6(__VA_ARGS__))
#define PERCPU__ALL_14(p0, v0, p1, v1, p2, v2, p3, v3, ...)                    \
	(PERCPU__ALL_8(p0, v0, p1, v1, p2, v2, p3, v3),                        \
	 PERCPU__ALL_6(__VA_ARGS__))
#define PERCPU__ALL_16(p0, v0, p1, v1, p2, v2, p3, v3, ...)                    \
	(PERCPU__ALL_8(p0, v0, p1, v1, p2, v2, p3, v3),                        \
	 PERCPU__ALL_8(__VA_ARGS__))

#define percpu_add_all(...)                                                    \
	PERCPU__PICK(__VA_ARGS__, PERCPU__WRONG_COUNT, PERCPU__WRONG_COUNT,    \
		     PERCPU__WRONG_COUNT, PERCPU__WRONG_COUNT, PERCPU__ALL_16, \
		     PERCPU__WRONG_COUNT, PERCPU__ALL_14, PERCPU__WRONG_COUNT, \
		     PERCPU__ALL_12, PERCPU__WRONG_COUNT, PERCPU__ALL_10,      \
		     PERCPU__WRONG_COUNT, PERCPU__ALL_8, PERCPU__WRONG_COUNT,  \
		     PERCPU__ALL_6, PERCPU__WRONG_COUNT, PERCPU__ALL_4,        \
		     PERCPU__WRONG_COUNT, PERCPU__ALL_2, PERCPU__WRONG_COUNT,  \
		     0)                                                        \
	(__VA_ARGS__)

/* The handle of a block; does not compile for other than 8 bytes. */
#define PERCPU__BLOCK(p)                                                       \
	((void PERCPU *)((uintptr_t)(p) +                                      \
			 0 * sizeof(struct {                                   \
				 _Static_assert(                               \
					 PERCPU__INT_SIZE(p) == 8,             \
					 "a block is of 64-bit fields");       \
				 char c;                                       \
			 })))
#define PERCPU__FIELD(p, v) ((uint64_t)(PERCPU__TYPE(p))(v))

#define PERCPU__BLOCK_3(p, v0, v1)                                             \
	percpu__block_2(PERCPU__BLOCK(p), PERCPU__FIELD(p, v0),                \
			PERCPU__FIELD(p, v1))
#define PERCPU__BLOCK_5(p, v0, v1, v2, v3)                                     \
	percpu__block_4(PERCPU__BLOCK(p), PERCPU__FIELD(p, v0),                \
			PERCPU__FIELD(p, v1), PERCPU__FIELD(p, v2),            \
			PERCPU__FIELD(p, v3))
#define PERCPU__BLOCK_9(p, v0, v1, v2, v3, v4, v5, v6, v7)                     \
	percpu__block_8(PERCPU__BLOCK(p), PERCPU__FIELD(p, v0),                \
			PERCPU__FIELD(p, v1), PERCPU__FIELD(p, v2),            \
			PERCPU__FIELD(p, v3), PERCPU__FIELD(p, v4),            \
			PERCPU__FIELD(p, v5), PERCPU__FIELD(p, v6),            \
			PERCPU__FIELD(p, v7))

#define percpu_add_block(...)                                                  \
	PERCPU__PICK(                                                          \
		__VA_ARGS__, PERCPU__WRONG_COUNT, PERCPU__WRONG_COUNT,         \
		PERCPU__WRONG_COUNT, PERCPU__WRONG_COUNT, PERCPU__WRONG_COUNT, \
		PERCPU__WRONG_COUNT, PERCPU__WRONG_COUNT, PERCPU__WRONG_COUNT, \
		PERCPU__WRONG_COUNT, PERCPU__WRONG_COUNT, PERCPU__WRONG_COUNT, \
		PERCPU__BLOCK_9, PERCPU__WRONG_COUNT, PERCPU__WRONG_COUNT,     \
		PERCPU__WRONG_COUNT, PERCPU__BLOCK_5, PERCPU__WRONG_COUNT,     \
		PERCPU__BLOCK_3, PERCPU__WRONG_COUNT, PERCPU__WRONG_COUNT, 0)  \
	(__VA_ARGS__)

#endif
