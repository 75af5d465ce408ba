/* SPDX-License-Identifier: MIT */
/*
 * info_cpus.c: CPUs and nodes. /sys says what is possible and on line, the
 * kernel itself what is allowed; where the two disagree, /sys is another
 * machine's, or nobody's.
 */
#include "info.h"
#include "info_file.h"

#include <errno.h>
#include <limits.h>
#include <sched.h>
#include <stdlib.h>

#define CPU_DIR "/sys/devices/system/cpu/"
#define NODE_DIR "/sys/devices/system/node/"

/* More than any kernel has. */
#define IDS_MAX (1u << 20)
#define NODES_MAX 4096u

/* No machine has an empty set of CPUs or nodes: that is damage. */
static struct ids read_ids(const char *path)
{
	char *line = info_line("%s", path);
	struct ids s = ids_parse(line);

	free(line);
	s.known = s.known && s.count > 0;
	return s;
}

static struct ids allowed_in(cpu_set_t *set, size_t ids)
{
	struct ids s = { .known = true };

	for (unsigned i = 0; i < ids; i++)
		if (CPU_ISSET_S(i, CPU_ALLOC_SIZE(ids), set))
			ids_append(&s, i, i);
	return s;
}

static struct ids read_allowed(void)
{
	struct ids s = { .known = false };

	for (size_t ids = 1024; ids <= IDS_MAX && !s.known; ids *= 2) {
		size_t bytes = CPU_ALLOC_SIZE(ids);
		cpu_set_t *set = info_realloc(NULL, bytes);
		int ret;

		CPU_ZERO_S(bytes, set);
		ret = sched_getaffinity(0, bytes, set);
		if (ret == 0)
			s = allowed_in(set, ids);
		free(set);
		if (ret < 0 && errno != EINVAL)
			break;
	}
	return s;
}

static struct ids gaps(const struct info_cpus *cpus)
{
	struct ids_range below = { 0, cpus->nr_ids - 1 };
	const struct ids all = { true, 1, &below };

	return ids_without(&all, &cpus->possible);
}

/* Count the ids that /sys calls possible; if it is silent, those allowed. */
static bool is_sparse(const struct info_cpus *cpus)
{
	const struct ids *s =
		cpus->possible.known ? &cpus->possible : &cpus->allowed;

	return s->count > 0 && s->ranges[s->count - 1].last >= ids_total(s);
}

static void add_hints(struct info_cpus *cpus)
{
	struct ids strange = ids_without(&cpus->allowed, &cpus->possible);
	struct ids barred = ids_without(&cpus->online, &cpus->allowed);
	const char **hint = cpus->hint;

	if (!cpus->possible.known || !cpus->online.known)
		*hint++ = "/sys does not list the CPUs; the kernel's own mask "
			  "bounds the ids";
	if (strange.count > 0)
		*hint++ = "CPUs are allowed that /sys does not call possible: "
			  "/sys is not this kernel's";
	if (barred.count > 0)
		*hint++ = "not all CPUs that are on line are allowed: a "
			  "cpuset or an affinity";
	*hint = NULL;
	free(strange.ranges);
	free(barred.ranges);
}

void info_cpus(struct info_cpus *cpus)
{
	cpus->nr_ids = percpu_nr_cpu_ids();
	cpus->here = percpu_this_cpu();
	cpus->possible = read_ids(CPU_DIR "possible");
	cpus->online = read_ids(CPU_DIR "online");
	cpus->allowed = read_allowed();
	cpus->gaps = gaps(cpus);
	cpus->sparse = is_sparse(cpus);
	add_hints(cpus);
}

static void add_node(struct info_nodes *nodes, unsigned id)
{
	char *line = info_line(NODE_DIR "node%u/cpulist", id);
	struct info_node *n;

	nodes->node = info_realloc(nodes->node,
				   (nodes->count + 1) * sizeof(*nodes->node));
	n = &nodes->node[nodes->count++];
	n->id = id;
	n->cpus = ids_parse(line);
	free(line);
}

void info_nodes(struct info_nodes *nodes)
{
	struct ids online = read_ids(NODE_DIR "online");

	nodes->count = 0;
	nodes->node = NULL;
	for (size_t i = 0; i < online.count; i++)
		for (unsigned id = online.ranges[i].first;
		     id <= online.ranges[i].last && id < NODES_MAX; id++)
			add_node(nodes, id);
	free(online.ranges);
}
