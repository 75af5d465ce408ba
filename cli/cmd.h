/* SPDX-License-Identifier: MIT */
#ifndef CLI_CMD_H
#define CLI_CMD_H
/*
 * cmd.h: the commands of percpu. Each gets its own name in argv[0] and returns
 * the exit status of the program. Whether standard output took what they wrote
 * is looked at afterwards.
 */

enum {
	CMD_OK = 0,
	CMD_FAILED = 1, /* the work could not be done; said why on stderr */
	CMD_USAGE = 2	/* the command line is wrong; said what on stderr */
};

int cmd_info(int argc, char **argv);
int cmd_bench(int argc, char **argv);

#endif
