/* SPDX-License-Identifier: MIT */
/*
 * info.c: percpu info, what this machine has and what the library makes of it.
 *
 *   info.c          the command line, and what the library says of itself
 *   info_cpus.c     CPUs and nodes     \
 *   info_caches.c   caches              > gather into struct info
 *   info_kernel.c   kernel and libc    /
 *   info_advice.c   what would make it faster
 *   info_text.c     struct info for people
 *   info_json.c     struct info for programs
 *
 * The first line is the slot policy: it decides whether an add costs one store
 * or a locked one, and it is what people need when numbers disappoint.
 *
 * Any file of /sys or /proc may be missing, or made up by a container: then
 * the answer is "unknown". No table is indexed by an id that was read.
 */
#include "info.h"

#include "cmd.h"

#include <percpu/alloc.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
	"usage: percpu info [--json]\n"
	"\n"
	"Prints which slot policy is in force, what this thread uses and why;\n"
	"then this machine's CPUs, nodes, caches, memory and kernel as far as\n"
	"they matter to per-CPU data; then what would make it faster.\n"
	"\n"
	"  --json   the same as one JSON object; what is unknown is null\n"
	"  --help   this text\n"
	"\n"
	"slot policy   how adds are made exact, one for the whole process:\n"
	"  rseq        plain adds in restartable sequences, a slot per CPU\n"
	"  atomic      atomic adds, a slot per CPU\n"
	"  shared      atomic adds, one slot for all\n"
	"index         what numbers the slots: cpu, or the kernel's cid, which\n"
	"              is small however large the machine (Linux 6.3)\n"
	"units         slots of each object; the shared slot comes on top\n"
	"stride        bytes from a slot to the next\n"
	"\n"
	"environment, read by each program that uses the library:\n"
	"  PERCPU_BACKEND=auto|rseq|atomic|shared\n"
	"  PERCPU_INDEX=cpu|cid\n"
	"  PERCPU_MISUSE=warn   mistakes of the program are named, no abort\n"
	"\n"
	"exit status: 0; 1 if the output cannot be written; 2 for a command\n"
	"line that is wrong.\n";

static const char *mode_name(enum percpu_mode mode)
{
	switch (mode) {
	case PERCPU_MODE_RSEQ: return "rseq";
	case PERCPU_MODE_ATOMIC: return "atomic";
	case PERCPU_MODE_SHARED: return "shared";
	}
	return NULL;
}

static bool is_one_of(const char *word, const char *const *words)
{
	while (*words != NULL)
		if (strcmp(word, *words++) == 0)
			return true;
	return false;
}

static void ask_policy(struct info_policy *p)
{
	static const char *const words[] = { "auto", "rseq", "atomic", "shared",
					     NULL };
	static const char *const policies[] = {
		[PERCPU_POLICY_RSEQ] = "rseq",
		[PERCPU_POLICY_ATOMIC] = "atomic",
		[PERCPU_POLICY_SHARED] = "shared",
	};
	const char *backend = secure_getenv("PERCPU_BACKEND");
	struct percpu_options in_force;

	if (backend == NULL)
		backend = "";
	p->mode = percpu_backend(&p->why);
	p->thread = mode_name(p->mode);
	percpu_in_force(&in_force);
	p->in_force = policies[in_force.policy];
	p->index = in_force.index == PERCPU_INDEX_CID ? "cid" : "cpu";
	p->hindered = p->mode == PERCPU_MODE_SHARED &&
		      in_force.policy != PERCPU_POLICY_SHARED;
	p->word_unknown = *backend != '\0' && !is_one_of(backend, words);
	p->units = percpu_nr_slots();
	p->stride = percpu_stride();
	p->max_size = percpu_max_size();
}

static void gather(struct info *info)
{
	ask_policy(&info->policy);
	info_cpus(&info->cpus);
	info_nodes(&info->nodes);
	info_caches(&info->caches, &info->cpus);
	info_kernel(&info->kernel);
	info_advice(info);
}

int cmd_info(int argc, char **argv)
{
	static struct info info;
	bool json = false;

	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--json") == 0) {
			json = true;
		} else if (strcmp(argv[i], "--help") == 0 ||
			   strcmp(argv[i], "-h") == 0) {
			fputs(help, stdout);
			return CMD_OK;
		} else {
			fprintf(stderr,
				"percpu info: there is no option '%s'; try "
				"percpu info --help\n",
				argv[i]);
			return CMD_USAGE;
		}
	}
	gather(&info);
	if (json)
		return info_print_json(&info) ? CMD_OK : CMD_FAILED;
	info_print_text(&info);
	return CMD_OK;
}
