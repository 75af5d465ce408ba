/* SPDX-License-Identifier: MIT */
/*
 * static-other.c: the other file.
 */
#include "static.h"

DEFINE_PER_CPU(u32, elsewhere) = 11;
DEFINE_PER_CPU_ALIGNED(u8[3], bytes_elsewhere) = { 1, 2, 3 };
DEFINE_PER_CPU_PAGE_ALIGNED(u64, page_elsewhere) = 12;
EXPORT_PER_CPU_SYMBOL(elsewhere);

void add_elsewhere(u32 n)
{
	this_cpu_add(elsewhere, n);
}
