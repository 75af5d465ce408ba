/* SPDX-License-Identifier: MIT */
/*
 * info_caches.c: caches as /sys shows them, a directory for each CPU and
 * cache. Those of one level, type and size become one entry, so that a machine
 * with different kinds of cores shows each kind once.
 */
#include "info.h"
#include "info_file.h"

#include <stdlib.h>
#include <string.h>

#define INDEX "/sys/devices/system/cpu/cpu%u/cache/index%u/"

/* No CPU has more caches; a damaged /sys ends here. */
#define INDEX_MAX 16u

static struct info_cache *find(const struct info_caches *caches,
			       const struct info_cache *like)
{
	for (size_t i = 0; i < caches->count; i++) {
		struct info_cache *c = &caches->cache[i];

		if (c->level == like->level && c->size == like->size &&
		    c->line == like->line && strcmp(c->type, like->type) == 0)
			return c;
	}
	return NULL;
}

static struct info_cache *append(struct info_caches *caches,
				 const struct info_cache *c)
{
	caches->cache = info_realloc(
		caches->cache, (caches->count + 1) * sizeof(*caches->cache));
	caches->cache[caches->count] = *c;
	return &caches->cache[caches->count++];
}

/* Note that @c has one that @cpus share; takes @cpus. */
static void add_one(struct info_cache *c, char *cpus)
{
	for (size_t i = c->count; i > 0; i--) {
		if (strcmp(c->cpus[i - 1], cpus) == 0) {
			free(cpus);
			return;
		}
	}
	c->cpus = info_realloc(c->cpus, (c->count + 1) * sizeof(*c->cpus));
	c->cpus[c->count++] = cpus;
}

/* False if @cpu has no such cache. */
static bool add_cache(struct info_caches *caches, unsigned cpu, unsigned index)
{
	struct info_cache like = { .level = 0 };
	struct info_cache *c;
	char *cpus;

	like.type = info_line(INDEX "type", cpu, index);
	cpus = info_line(INDEX "shared_cpu_list", cpu, index);
	if (like.type == NULL || cpus == NULL) {
		free(like.type);
		free(cpus);
		return false;
	}
	like.level = (unsigned)info_number(INDEX "level", cpu, index);
	like.size = info_number(INDEX "size", cpu, index);
	like.line = info_number(INDEX "coherency_line_size", cpu, index);
	c = find(caches, &like);
	if (c != NULL)
		free(like.type);
	else
		c = append(caches, &like);
	add_one(c, cpus);
	return true;
}

void info_caches(struct info_caches *caches, const struct info_cpus *cpus)
{
	const struct ids *from =
		cpus->online.known ? &cpus->online : &cpus->allowed;

	caches->count = 0;
	caches->cache = NULL;
	for (size_t i = 0; i < from->count; i++)
		for (unsigned cpu = from->ranges[i].first;
		     cpu <= from->ranges[i].last && cpu < cpus->nr_ids; cpu++)
			for (unsigned n = 0; n < INDEX_MAX; n++)
				if (!add_cache(caches, cpu, n))
					break;
}
