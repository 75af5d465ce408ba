/* SPDX-License-Identifier: MIT */
/*
 * info_json.c: for programs. Keys are the contract; a value that is unknown is
 * null, an advice that is not needed is not there.
 */
#include "info.h"

#include <percpu/base.h>

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

/* JSON has no strings that are not UTF-8: such a text is replaced. */
static json_t *string(const char *s)
{
	json_t *j;

	if (s == NULL)
		return json_null();
	j = json_string(s);
	return j != NULL ? j : json_string("(not UTF-8)");
}

static json_t *number(size_t n)
{
	return n != 0 ? json_integer((json_int_t)n) : json_null();
}

static json_t *ids(const struct ids *s)
{
	char *text = ids_text(s);
	json_t *j = s->known && s->count == 0 ? json_string("") : string(text);

	free(text);
	return j;
}

static json_t *policy(const struct info_policy *p)
{
	return json_pack("{s:s, s:s, s:s, s:s, s:i, s:o, s:o}", "in_force",
			 p->in_force, "thread", p->thread, "why", p->why,
			 "index", p->index, "units", (int)p->units, "stride",
			 number(p->stride), "max_size", number(p->max_size));
}

static json_t *cpus(const struct info_cpus *c)
{
	json_t *notes = json_array();

	for (const char *const *hint = c->hint; *hint != NULL; hint++)
		json_array_append_new(notes, string(*hint));
	return json_pack("{s:i, s:o, s:o, s:o, s:o, s:b, s:o, s:o}", "nr_ids",
			 (int)c->nr_ids, "possible", ids(&c->possible),
			 "online", ids(&c->online), "allowed", ids(&c->allowed),
			 "gaps", ids(&c->gaps), "ids_exceed_count", c->sparse,
			 "this",
			 c->here < 0 ? json_null() : json_integer(c->here),
			 "notes", notes);
}

static json_t *nodes(const struct info_nodes *n)
{
	json_t *list = json_array();

	for (size_t i = 0; i < n->count; i++)
		json_array_append_new(
			list, json_pack("{s:i, s:o}", "id", (int)n->node[i].id,
					"cpus", ids(&n->node[i].cpus)));
	return list;
}

static json_t *caches(const struct info_caches *c)
{
	json_t *list = json_array();

	for (size_t i = 0; i < c->count; i++) {
		const struct info_cache *one = &c->cache[i];
		json_t *shared = json_array();

		for (size_t n = 0; n < one->count; n++)
			json_array_append_new(shared, string(one->cpus[n]));
		json_array_append_new(
			list,
			json_pack("{s:i, s:o, s:o, s:o, s:o}", "level",
				  (int)one->level, "type", string(one->type),
				  "size", number(one->size), "line",
				  number(one->line), "cpus", shared));
	}
	return list;
}

static const char *answer(enum info_answer a)
{
	return a == INFO_YES ? "yes" : a == INFO_REFUSED ? "refused" : "no";
}

static json_t *kernel(const struct info_kernel *k)
{
	return json_pack("{s:o, s:s, s:o, s:i, s:b, s:s, s:b}", "release",
			 string(k->release), "rseq", answer(k->rseq),
			 "rseq_feature_size", number(k->rseq_feature),
			 "libc_rseq_size", (int)k->libc_rseq_size, "mm_cid",
			 k->mm_cid, "membarrier", answer(k->membarrier),
			 "membarrier_rseq", k->fence_rseq);
}

static json_t *memory(const struct info_kernel *k)
{
	return json_pack("{s:o, s:o, s:o, s:i}", "page_size",
			 number(k->page_size), "transparent_hugepage",
			 string(k->hugepages), "line", number(k->line),
			 "percpu_line", PERCPU_LINE);
}

static json_t *advice(const struct info_advice *a)
{
	json_t *list = json_array();

	for (size_t i = 0; i < a->count; i++)
		json_array_append_new(list, string(a->text[i]));
	return list;
}

bool info_print_json(const struct info *info)
{
	json_t *all = json_pack(
		"{s:o, s:o, s:o, s:o, s:o, s:o, s:s, s:o}", "policy",
		policy(&info->policy), "cpus", cpus(&info->cpus), "nodes",
		nodes(&info->nodes), "caches", caches(&info->caches), "memory",
		memory(&info->kernel), "kernel", kernel(&info->kernel), "libc",
		info->kernel.libc, "advice", advice(&info->advice));
	bool done = json_dumpf(all, stdout, JSON_INDENT(2)) == 0;

	putchar('\n');
	json_decref(all);
	return done;
}
