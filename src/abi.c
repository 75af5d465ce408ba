/* SPDX-License-Identifier: MIT */
/*
 * abi.c: headers compiled into a program and this library agree, or nothing
 * starts. Called by a constructor of each object that uses the headers.
 */
#include "message.h"

#include <percpu/base.h>

void percpu__abi_check(unsigned abi, unsigned line, size_t rt_size)
{
	if (abi != PERCPU__ABI || rt_size != sizeof(struct percpu__rt))
		percpu__message_abort(
			"a program or plug-in was built with headers of ABI %u, this library has ABI %u; rebuild it with the headers of the installed library",
			abi, PERCPU__ABI);
	if (line != PERCPU_LINE)
		percpu__message_abort(
			"a program or plug-in was built with PERCPU_LINE %u, this library with %u; build both with the same",
			line, (unsigned)PERCPU_LINE);
}
