/* SPDX-License-Identifier: MIT */
/*
 * main.c: percpu COMMAND ...; finds the command and runs it. What could not be
 * written is an error, whatever the command.
 */
#include "cmd.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static const struct command {
	const char *name;
	const char *what;
	int (*run)(int argc, char **argv);
} commands[] = {
	{ "info", "what this machine has, which slot policy is used and why",
	  cmd_info },
	{ "bench", "old layouts beside new, on this machine", cmd_bench },
};

#define COMMANDS (sizeof(commands) / sizeof(commands[0]))

static void usage(FILE *to)
{
	fputs("usage: percpu COMMAND [OPTION]...\n"
	      "\n"
	      "Per-CPU data: see what this machine offers, measure what it "
	      "gains.\n"
	      "\n"
	      "commands:\n",
	      to);
	for (size_t i = 0; i < COMMANDS; i++)
		fprintf(to, "  %-8s %s\n", commands[i].name, commands[i].what);
	fputs("\n"
	      "percpu COMMAND --help tells more; percpu --version the version.\n",
	      to);
}

static int run_command(int argc, char **argv)
{
	for (size_t i = 0; i < COMMANDS; i++)
		if (strcmp(argv[0], commands[i].name) == 0)
			return commands[i].run(argc, argv);
	fprintf(stderr, "percpu: there is no command '%s'; try percpu --help\n",
		argv[0]);
	return CMD_USAGE;
}

static int run(int argc, char **argv)
{
	static char option[] = "--help";
	const char *word = argv[1];
	bool help = strcmp(word, "help") == 0;

	if (help && argc > 2)
		return run_command(2, (char *[]){ argv[2], option, NULL });
	if (help || strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
		usage(stdout);
		return CMD_OK;
	}
	if (strcmp(word, "--version") == 0) {
		puts("percpu " PERCPU_VERSION);
		return CMD_OK;
	}
	return run_command(argc - 1, argv + 1);
}

/* The exit status, of @status what remains if standard output is not whole. */
static int finish(int status)
{
	errno = 0;
	if (fflush(stdout) == 0 && !ferror(stdout))
		return status;
	fprintf(stderr, "percpu: standard output: %s\n",
		errno != 0 ? strerror(errno) : "not all could be written");
	return status == CMD_OK ? CMD_FAILED : status;
}

int main(int argc, char **argv)
{
	if (argc < 2) {
		usage(stderr);
		return CMD_USAGE;
	}
	return finish(run(argc, argv));
}
