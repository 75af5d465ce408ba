/* SPDX-License-Identifier: MIT */
#ifndef CLI_INFO_H
#define CLI_INFO_H
/*
 * info.h: what `percpu info` knows, gathered once and then printed, as text or
 * as JSON. A string that is NULL, a list that is not known and a number that
 * is 0 where it cannot be print as "unknown", or null.
 */
#include "info_ids.h"

#include <percpu/cpu.h>

#include <stdbool.h>
#include <stddef.h>

/* What the library says of this process, from percpu/cpu.h and alloc.h. */
struct info_policy {
	const char *in_force;  /* of the process: rseq, atomic, shared */
	const char *thread;    /* what this thread uses of it */
	const char *why;       /* the library's sentence */
	const char *index;     /* cpu, cid */
	enum percpu_mode mode; /* of this thread */
	bool hindered;	       /* this thread cannot do what the policy says */
	bool word_unknown;     /* PERCPU_BACKEND is no word of the library's */
	unsigned units;
	size_t stride;
	size_t max_size;
};

struct info_cpus {
	unsigned nr_ids;
	int here; /* the CPU this ran on, -errno */
	struct ids possible;
	struct ids online;
	struct ids allowed;
	struct ids gaps;     /* below nr_ids and not possible */
	bool sparse;	     /* the highest id is not below the count */
	const char *hint[4]; /* signs of a container, NULL-terminated */
};

struct info_node {
	unsigned id;
	struct ids cpus;
};

struct info_nodes {
	size_t count;
	struct info_node *node;
};

/* Caches of one level, type and size; each list names those of one of them. */
struct info_cache {
	unsigned level;
	char *type; /* Data, Instruction, Unified */
	size_t size;
	size_t line;
	size_t count;
	char **cpus;
};

struct info_caches {
	size_t count;
	struct info_cache *cache;
};

enum info_answer { INFO_NO, INFO_YES, INFO_REFUSED };

struct info_kernel {
	char *release;
	char *libc;
	enum info_answer rseq;
	const char *rseq_error;	    /* if refused, by what */
	unsigned long rseq_feature; /* AT_RSEQ_FEATURE_SIZE, 0 if not told */
	bool libc_has_area;	    /* glibc 2.35 and later */
	unsigned libc_rseq_size;    /* 0: libc did not register this thread */
	bool mm_cid;
	enum info_answer membarrier;
	bool fence_rseq; /* membarrier restarts sequences, Linux 5.10 */
	size_t page_size;
	char *hugepages;
	size_t line; /* of this machine */
};

/* Sentences; "nothing to improve" is count 0. */
struct info_advice {
	size_t count;
	char *text[12];
};

struct info {
	struct info_policy policy;
	struct info_cpus cpus;
	struct info_nodes nodes;
	struct info_caches caches;
	struct info_kernel kernel;
	struct info_advice advice;
};

void info_cpus(struct info_cpus *cpus);
void info_nodes(struct info_nodes *nodes);
void info_caches(struct info_caches *caches, const struct info_cpus *cpus);
void info_kernel(struct info_kernel *kernel);
void info_advice(struct info *info); /* after all the others */

void info_print_text(const struct info *info);
/* False if it cannot be written. */
bool info_print_json(const struct info *info);

#endif
