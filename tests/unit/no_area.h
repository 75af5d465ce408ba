/* SPDX-License-Identifier: MIT */
#ifndef TESTS_UNIT_NO_AREA_H
#define TESTS_UNIT_NO_AREA_H
/*
 * no_area.h: no thread runs sequences.
 */
#include "slot.h"

struct percpu__area *percpu__slot_attach(void)
{
	return NULL;
}

#if !defined(PERCPU__LIBC_AREA) || defined(PERCPU__OWN_AREA)
struct percpu__area *percpu__area(void)
{
	return NULL;
}
#endif

#endif
