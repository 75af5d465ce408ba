/* SPDX-License-Identifier: MIT */
/* Test and module are built together here, so their headers agree. */
#include <percpu/base.h>

void percpu__abi_check(unsigned abi, unsigned line, size_t rt_size)
{
	(void)abi;
	(void)line;
	(void)rt_size;
}
