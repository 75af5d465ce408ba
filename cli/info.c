/* SPDX-License-Identifier: MIT */
#include "cmd.h"

#include <percpu/cpu.h>

#include <stdio.h>

int cmd_info(int argc, char **argv)
{
	const char *why;

	(void)argc;
	(void)argv;
	percpu_backend(&why);
	puts(why);
	return CMD_OK;
}
