/* SPDX-License-Identifier: MIT */
#ifndef PERCPU_SRC_SECTION_NONE_H
#define PERCPU_SRC_SECTION_NONE_H
/*
 * section_none.h: an architecture without sequences. The policy is never rseq
 * there, so none of these is reached; they refuse.
 */
#define PERCPU__HAVE_SECTIONS 0

#define PERCPU__SECTION_NONE(op, bytes, bits)                                  \
	static inline enum percpu__ran percpu__section_##op##_##bytes(         \
		struct percpu__section s, uint##bits##_t v)                    \
	{                                                                      \
		(void)s;                                                       \
		(void)v;                                                       \
		return PERCPU__REFUSED;                                        \
	}

PERCPU__SECTION_NONE(add, 1, 8)
PERCPU__SECTION_NONE(add, 2, 16)
PERCPU__SECTION_NONE(add, 4, 32)
PERCPU__SECTION_NONE(add, 8, 64)
PERCPU__SECTION_NONE(write, 1, 8)
PERCPU__SECTION_NONE(write, 2, 16)
PERCPU__SECTION_NONE(write, 4, 32)
PERCPU__SECTION_NONE(write, 8, 64)

static inline enum percpu__ran
percpu__section_pop(struct percpu__section s, const struct percpu__caches *c,
		    uint64_t at, uint64_t *out)
{
	(void)s;
	(void)c;
	(void)at;
	(void)out;
	return PERCPU__REFUSED;
}

static inline enum percpu__ran
percpu__section_push(struct percpu__section s, const struct percpu__caches *c,
		     uint64_t at, uint64_t limit, uint64_t item)
{
	(void)s;
	(void)c;
	(void)at;
	(void)limit;
	(void)item;
	return PERCPU__REFUSED;
}

#endif
