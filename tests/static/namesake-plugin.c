/* SPDX-License-Identifier: MIT */
/* namesake-plugin.c: a plug-in with variables that others define, too. */
#include <percpu/ops.h>
#include <percpu/static.h>

PERCPU_DEFINE(TYPE, of_program);
PERCPU_DEFINE(uint64_t, of_plugins);

void PERCPU *namesake_of_program(void);
uint64_t namesake_add(void);

void PERCPU *namesake_of_program(void)
{
	return percpu_var(of_program);
}

uint64_t namesake_add(void)
{
	percpu_inc(percpu_var(of_plugins));
	return percpu_sum(percpu_var(of_plugins));
}
