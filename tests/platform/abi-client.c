/* SPDX-License-Identifier: MIT */
/* Built with another PERCPU_LINE than the library's: must not get to run. */
#include <percpu/percpu.h>

#include <stdio.h>

int main(void)
{
	printf("main runs with %u slots\n", percpu_nr_slots());
	return 0;
}
