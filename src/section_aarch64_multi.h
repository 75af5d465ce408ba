/* SPDX-License-Identifier: MIT */
#ifndef PERCPU_SRC_SECTION_AARCH64_MULTI_H
#define PERCPU_SRC_SECTION_AARCH64_MULTI_H
/*
 * section_aarch64_multi.h: the blocks of percpu/arch/aarch64_multi.h on an area
 * known at run time, with values in memory. No store here has more than 16
 * bytes, so larger blocks come in parts of two.
 */
#include <sys/auxv.h>

/* Linux's word for FEAT_LSE2 in AT_HWCAP. */
#define PERCPU__HWCAP_USCAT (1ul << 25)

static inline uint32_t percpu__section_bytes(void)
{
	return getauxval(AT_HWCAP) & PERCPU__HWCAP_USCAT ? 16 : 8;
}

static inline enum percpu__ran percpu__section_block_2(struct percpu__section s,
						       const uint64_t *v)
{
	__asm__ goto(PERCPU__RUN_ARM PERCPU__OBJECT
		     "ldp x16, x17, [x15]\n\t"
		     "add x16, x16, %[v0]\n\t"
		     "add x17, x17, %[v1]\n\t"
		     "stp x16, x17, [x15]" PERCPU__RUN_DISARM
		     :
		     : PERCPU__ON(s), [v0] "r"(v[0]), [v1] "r"(v[1])
		     : "x15", "x16", "x17", "cc", "memory"
		     : aborted, refused);
	PERCPU__ENDS(s);
}

static inline enum percpu__ran percpu__section_block_4(struct percpu__section s,
						       const uint64_t *v)
{
	(void)s;
	(void)v;
	return PERCPU__REFUSED;
}

static inline enum percpu__ran percpu__section_block_8(struct percpu__section s,
						       const uint64_t *v)
{
	(void)s;
	(void)v;
	return PERCPU__REFUSED;
}

static inline void percpu__section_clean(void)
{
}

#endif
