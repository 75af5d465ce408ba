/* SPDX-License-Identifier: MIT */
/*
 * plugin.c: an object to be loaded and unloaded, with sections inlined into it.
 */
#include <percpu/ops.h>

void plugin_add(uint64_t PERCPU *h, unsigned n);

void plugin_add(uint64_t PERCPU *h, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		percpu_inc(h);
}
