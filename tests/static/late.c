/* SPDX-License-Identifier: MIT */
/*
 * late.c: with LATE_USES, the constructor uses the program's variable before the
 * program's constructors.
 */
#include "late.h"

uint32_t PERCPU *late_handle;

#ifdef LATE_USES
const bool late_setup = false;

static void __attribute__((constructor)) use(void)
{
	late_handle = percpu_var(lent);
	percpu_inc(late_handle);
}
#else
const bool late_setup = true;
#endif
