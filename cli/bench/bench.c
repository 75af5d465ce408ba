/* SPDX-License-Identifier: MIT */
#include "../cmd.h"

#include <stdio.h>

int cmd_bench(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	fputs("percpu bench: no experiment here\n", stderr);
	return CMD_FAILED;
}
