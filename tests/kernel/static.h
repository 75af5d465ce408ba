/* SPDX-License-Identifier: MIT */
#ifndef TESTS_KERNEL_STATIC_H
#define TESTS_KERNEL_STATIC_H
/*
 * static.h: variables that another file defines.
 */
#include <percpu/kernel.h>

#ifdef __cplusplus
extern "C" {
#endif

DECLARE_PER_CPU(u32, elsewhere);
DECLARE_PER_CPU_ALIGNED(u8[3], bytes_elsewhere);
DECLARE_PER_CPU_PAGE_ALIGNED(u64, page_elsewhere);

void add_elsewhere(u32 n);

#ifdef __cplusplus
}
#endif

#endif
