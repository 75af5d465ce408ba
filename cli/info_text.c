/* SPDX-License-Identifier: MIT */
/*
 * info_text.c: for people. Two columns, the second as the kernel writes it.
 */
#include "info.h"

#include <percpu/base.h>

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEAD "%-14s"
#define ITEM "  %-12s"

__attribute__((format(printf, 2, 3))) static void item(const char *name,
						       const char *format, ...)
{
	va_list args;

	printf(ITEM, name);
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	putchar('\n');
}

static const char *or_unknown(const char *s)
{
	return s != NULL ? s : "unknown";
}

static const char *policy_meaning(const char *policy)
{
	if (strcmp(policy, "rseq") == 0)
		return "plain adds in restartable sequences, a slot per CPU";
	if (strcmp(policy, "atomic") == 0)
		return "atomic adds, a slot per CPU";
	return "atomic adds, one slot for all";
}

static void print_policy(const struct info_policy *p)
{
	printf(HEAD "%s: %s\n", "slot policy", p->in_force,
	       policy_meaning(p->in_force));
	printf(HEAD "%s: %s\n", "this thread", p->thread, p->why);
	printf(HEAD "%s: slots are numbered by %s\n", "index", p->index,
	       strcmp(p->index, "cid") == 0 ? "concurrency id" : "CPU");
	printf(HEAD "%u, and the shared slot\n", "units", p->units);
	printf(HEAD "%zu bytes; objects up to %zu\n", "stride", p->stride,
	       p->max_size);
}

static void print_ids(const char *name, const struct ids *s)
{
	char *text = ids_text(s);

	if (text == NULL)
		item(name, "unknown");
	else if (s->count == 0)
		item(name, "none");
	else
		item(name, "%s (%lu)", text, ids_total(s));
	free(text);
}

static void print_cpus(const struct info_cpus *cpus)
{
	puts("\nCPUs");
	print_ids("possible", &cpus->possible);
	print_ids("online", &cpus->online);
	print_ids("allowed", &cpus->allowed);
	print_ids("gaps", &cpus->gaps);
	item("ids", "below %u%s", cpus->nr_ids,
	     cpus->sparse ? ", beyond the count of CPUs: a table sized by a "
			    "count would be too small" :
			    "");
	for (const char *const *hint = cpus->hint; *hint != NULL; hint++)
		item("note", "%s", *hint);
}

static void print_nodes(const struct info_nodes *nodes)
{
	puts("\nnodes");
	if (nodes->count == 0)
		item("all", "unknown");
	for (size_t i = 0; i < nodes->count; i++) {
		char name[16];

		snprintf(name, sizeof(name), "node %u", nodes->node[i].id);
		print_ids(name, &nodes->node[i].cpus);
	}
}

static void print_size(size_t size)
{
	if (size == 0)
		printf("size unknown");
	else if (size % (1u << 20) == 0)
		printf("%zu MiB", size >> 20);
	else if (size % 1024 == 0)
		printf("%zu KiB", size >> 10);
	else
		printf("%zu bytes", size);
}

static void print_cache(const struct info_cache *c)
{
	const char *kind = strcmp(c->type, "Data") == 0	       ? "d" :
			   strcmp(c->type, "Instruction") == 0 ? "i" :
								 "";
	char name[16];

	snprintf(name, sizeof(name), "L%u%s", c->level, kind);
	printf(ITEM, name);
	print_size(c->size);
	if (c->line != 0)
		printf(", lines of %zu", c->line);
	printf(", %zu of them: CPUs", c->count);
	for (size_t i = 0; i < c->count; i++)
		printf("%s%s", i > 0 ? " | " : " ", c->cpus[i]);
	putchar('\n');
}

static void print_caches(const struct info *info)
{
	puts("\ncaches");
	if (info->caches.count == 0)
		item("all", "unknown");
	for (size_t i = 0; i < info->caches.count; i++)
		print_cache(&info->caches.cache[i]);
	item("line", "%zu bytes; PERCPU_LINE is %d", info->kernel.line,
	     PERCPU_LINE);
}

static const char *answer_text(enum info_answer answer)
{
	switch (answer) {
	case INFO_YES: return "yes";
	case INFO_REFUSED: return "refused, as by a seccomp filter";
	default: return "no";
	}
}

static void print_kernel(const struct info_kernel *k)
{
	puts("\nmemory");
	if (k->page_size != 0)
		item("page", "%zu bytes", k->page_size);
	else
		item("page", "unknown");
	item("huge pages", "%s", or_unknown(k->hugepages));
	puts("\nkernel");
	item("release", "%s", or_unknown(k->release));
	item("libc", "%s, %s", k->libc,
	     !k->libc_has_area	    ? "has no place for rseq" :
	     k->libc_rseq_size != 0 ? "registers threads for rseq" :
				      "did not register this thread for rseq");
	item("rseq", "%s", answer_text(k->rseq));
	item("rseq size", "kernel %lu%s, libc %u", k->rseq_feature,
	     k->rseq_feature == 0 ? " (not told)" : "", k->libc_rseq_size);
	item("mm_cid", "%s", k->mm_cid ? "yes" : "no");
	item("membarrier", "%s; restarts sequences: %s",
	     answer_text(k->membarrier), k->fence_rseq ? "yes" : "no");
}

static void print_advice(const struct info_advice *a)
{
	puts("\nwhat would make it faster");
	if (a->count == 0)
		puts("  nothing to improve");
	for (size_t i = 0; i < a->count; i++)
		printf("  - %s\n", a->text[i]);
}

void info_print_text(const struct info *info)
{
	print_policy(&info->policy);
	print_cpus(&info->cpus);
	print_nodes(&info->nodes);
	print_caches(info);
	print_kernel(&info->kernel);
	print_advice(&info->advice);
}
