/* SPDX-License-Identifier: MIT */
/*
 * A refresh makes the default batch that of the CPUs which are on line then.
 * Started with 17 CPUs on line by a file that this test writes anew.
 */
#include "check.h"

#include <percpu/percpu.h>

static void put_on_line(const char *cpus)
{
	FILE *f = fopen("/sys/devices/system/cpu/online", "w");

	if (f == NULL)
		SKIP("the file is not ours");
	CHECK(fprintf(f, "%s\n", cpus) > 0);
	CHECK(fclose(f) == 0);
	CHECK(percpu_cpus_refresh() == 0);
}

int main(void)
{
	CHECK_EQ(percpu_counter_batch, 34);
	put_on_line("0-31");
	CHECK_EQ(percpu_counter_batch, 64);
	put_on_line("0");
	CHECK_EQ(percpu_counter_batch, 32);
	put_on_line("0-16");
	CHECK_EQ(percpu_counter_batch, 34);
	return TEST_PASS;
}
