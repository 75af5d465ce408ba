/* SPDX-License-Identifier: MIT */
#include "options.h"

#include "../cmd.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static void list(FILE *to)
{
	for (size_t i = 0; experiments[i] != NULL; i++)
		fprintf(to, "  %-8s %s\n", experiments[i]->name,
			experiments[i]->what);
}

static const char *const synopsis =
	"usage: percpu bench [EXPERIMENT]... [OPTION]...\n"
	"\n"
	"Measure old layouts beside new ones on this machine.\n"
	"\n"
	"experiments (all, if none is named; each once, in this order):\n";

static const char *const description =
	"\n"
	"options:\n"
	"  --quick      fewer slices, some 7 to 25 s in all\n"
	"  --seconds S  S seconds at most for one comparison\n"
	"               (4, or 0.3 with --quick)\n"
	"  --json       a JSON document on standard output, nothing else\n"
	"  --progress   show progress on standard error, also if that is\n"
	"               no terminal\n"
	"  --list       name the experiments and end\n"
	"  --help       this text\n"
	"\n"
	"One or two pinned threads run the variants in turn, in slices of\n"
	"50 to 300 microseconds; a slice during which something else ran\n"
	"is left out. Two of the allowed CPUs are used; choose them with\n"
	"taskset. With one CPU, what takes two is skipped, and said to be.\n"
	"\n"
	"How to read it:\n"
	"  bar            the median time of one operation\n"
	"  bytes          of one object for two CPUs, its table included\n"
	"  per CPU        of them, what one more CPU takes\n"
	"  (2.0 to 2.2)   10 % and 90 % points of a ratio over all rounds\n"
	"  the control    one variant, measured twice under two names; if\n"
	"                 it differs from itself by more than 5 % there is\n"
	"                 no verdict\n"
	"  a line between the time in which a cache line goes from CPU to\n"
	"  the CPUs       CPU and back; if it changes by half meanwhile\n"
	"                 (hypervisors move CPUs), there is no verdict\n"
	"  goals          ratios that libpercpu's authors want to reach on\n"
	"                 machines of theirs; not met is no failure here.\n"
	"                 Names are those of --json: the ratio, then the\n"
	"                 comparison; device_256 is the one titled\n"
	"                 \"1 device, 256-byte packets\". Each is judged\n"
	"                 where the CPUs were then, near or far\n"
	"  in short       one ratio of one comparison, always the same;\n"
	"                 others may say the opposite\n"
	"\n"
	"Exit status: 0 measured, or skipped and said why; 1 something\n"
	"failed, or the output cannot be written; 2 the command line is\n"
	"wrong.\n";

static void help(void)
{
	fputs(synopsis, stdout);
	list(stdout);
	fputs(description, stdout);
}

static int choose(struct request *r, const char *name)
{
	for (size_t i = 0; experiments[i] != NULL; i++)
		if (strcasecmp(name, experiments[i]->name) == 0) {
			r->chosen[i] = true;
			return 0;
		}
	fprintf(stderr,
		"percpu bench: there is no experiment '%s'; there are:\n",
		name);
	list(stderr);
	return -1;
}

static int choose_all(struct request *r, char **names, int n)
{
	for (int i = 0; i < n; i++)
		if (choose(r, names[i]) < 0)
			return -1;
	for (size_t i = 0; n == 0 && experiments[i] != NULL; i++)
		r->chosen[i] = true;
	return 0;
}

static int set_seconds(struct request *r, const char *word)
{
	char *end;
	double s = strtod(word, &end);

	if (end == word || *end != '\0' || !(s > 0 && s <= 3600)) {
		fprintf(stderr,
			"percpu bench: --seconds takes a number above 0 and "
			"up to 3600, not '%s'\n",
			word);
		return -1;
	}
	r->bench.seconds = s;
	return 0;
}

/* Long options have no letter, so that errors can tell them from letters. */
enum { HELP = 256, JSON, LIST, PROGRESS, QUICK, SECONDS };

/* Say what getopt_long() did not understand; @word is where it stopped. */
static int refuse(int c, const char *word)
{
	char letter[] = { '-', (char)optopt, '\0' };

	if (c == ':')
		fprintf(stderr, "percpu bench: %s takes a value\n", word);
	else
		fprintf(stderr,
			"percpu bench: there is no option '%s'; there are "
			"--quick, --seconds S, --json, --progress, --list and "
			"--help\n",
			optopt > 0 && optopt < HELP ? letter : word);
	return CMD_USAGE;
}

int options_read(struct request *r, int argc, char **argv)
{
	static const struct option options[] = {
		{ "help", no_argument, NULL, HELP },
		{ "json", no_argument, NULL, JSON },
		{ "list", no_argument, NULL, LIST },
		{ "progress", no_argument, NULL, PROGRESS },
		{ "quick", no_argument, NULL, QUICK },
		{ "seconds", required_argument, NULL, SECONDS },
		{ NULL, 0, NULL, 0 }
	};
	int c;

	while ((c = getopt_long(argc, argv, ":h", options, NULL)) != -1)
		switch (c) {
		case 'h':
		case HELP: help(); return CMD_OK;
		case LIST: list(stdout); return CMD_OK;
		case JSON: r->json = true; break;
		case PROGRESS: r->bench.progress = true; break;
		case QUICK: r->bench.quick = true; break;
		case SECONDS:
			if (set_seconds(r, optarg) < 0)
				return CMD_USAGE;
			break;
		default: return refuse(c, argv[optind - 1]);
		}
	return choose_all(r, argv + optind, argc - optind) < 0 ? CMD_USAGE : -1;
}
