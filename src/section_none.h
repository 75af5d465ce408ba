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

#define PERCPU__VALUE_NONE(op, bytes, bits)                                    \
	static inline enum percpu__ran percpu__section_##op##_##bytes(         \
		struct percpu__section s, uint##bits##_t v,                    \
		uint##bits##_t *out)                                           \
	{                                                                      \
		(void)s;                                                       \
		(void)v;                                                       \
		(void)out;                                                     \
		return PERCPU__REFUSED;                                        \
	}

#define PERCPU__SECTIONS_NONE(bytes, bits)                                     \
	PERCPU__SECTION_NONE(add, bytes, bits)                                 \
	PERCPU__SECTION_NONE(and, bytes, bits)                                 \
	PERCPU__SECTION_NONE(or, bytes, bits)                                  \
	PERCPU__SECTION_NONE(xor, bytes, bits)                                 \
	PERCPU__SECTION_NONE(write, bytes, bits)                               \
	PERCPU__VALUE_NONE(xchg, bytes, bits)                                  \
	PERCPU__VALUE_NONE(add_return, bytes, bits)                            \
	static inline enum percpu__ran percpu__section_cmpxchg_##bytes(        \
		struct percpu__section s, uint##bits##_t expected,             \
		uint##bits##_t desired, uint##bits##_t *out)                   \
	{                                                                      \
		(void)s;                                                       \
		(void)expected;                                                \
		(void)desired;                                                 \
		(void)out;                                                     \
		return PERCPU__REFUSED;                                        \
	}

PERCPU__SECTIONS_NONE(1, 8)
PERCPU__SECTIONS_NONE(2, 16)
PERCPU__SECTIONS_NONE(4, 32)
PERCPU__SECTIONS_NONE(8, 64)

static inline enum percpu__ran
percpu__section_stack_push(struct percpu__section s, uint64_t capacity,
			   uint64_t item)
{
	(void)s;
	(void)capacity;
	(void)item;
	return PERCPU__REFUSED;
}

static inline enum percpu__ran
percpu__section_stack_pop(struct percpu__section s, uint64_t *out)
{
	(void)s;
	(void)out;
	return PERCPU__REFUSED;
}

static inline enum percpu__ran
percpu__section_counter_add(struct percpu__section s, uint64_t v,
			    uint64_t reach)
{
	(void)s;
	(void)v;
	(void)reach;
	return PERCPU__REFUSED;
}

static inline enum percpu__ran
percpu__section_counter_claim(struct percpu__section s,
			      struct percpu__counter_claim *out)
{
	(void)s;
	(void)out;
	return PERCPU__REFUSED;
}

static inline enum percpu__ran
percpu__section_gated_push(struct percpu__section s, const uint64_t *capacity,
			   uint64_t item)
{
	(void)s;
	(void)capacity;
	(void)item;
	return PERCPU__REFUSED;
}

static inline enum percpu__ran
percpu__section_gated_pop(struct percpu__section s, const uint64_t *floor,
			  uint64_t *out)
{
	(void)s;
	(void)floor;
	(void)out;
	return PERCPU__REFUSED;
}

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

static inline enum percpu__ran
percpu__section_guarded_add(struct percpu__section s,
			    const struct percpu__guarded *g, uint64_t mask,
			    uint64_t v)
{
	(void)s;
	(void)g;
	(void)mask;
	(void)v;
	return PERCPU__REFUSED;
}

#endif
