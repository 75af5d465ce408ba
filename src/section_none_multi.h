/* SPDX-License-Identifier: MIT */
#ifndef PERCPU_SRC_SECTION_NONE_MULTI_H
#define PERCPU_SRC_SECTION_NONE_MULTI_H
/*
 * section_none_multi.h: blocks where there are no sequences; they refuse.
 */

static inline uint32_t percpu__section_bytes(void)
{
	return 8;
}

#define PERCPU__BLOCK_NONE(n)                                                  \
	static inline enum percpu__ran percpu__section_block_##n(              \
		struct percpu__section s, const uint64_t *v)                   \
	{                                                                      \
		(void)s;                                                       \
		(void)v;                                                       \
		return PERCPU__REFUSED;                                        \
	}

PERCPU__BLOCK_NONE(2)
PERCPU__BLOCK_NONE(4)
PERCPU__BLOCK_NONE(8)
#undef PERCPU__BLOCK_NONE

static inline void percpu__section_clean(void)
{
}

#endif
