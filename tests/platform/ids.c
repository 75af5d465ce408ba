/* SPDX-License-Identifier: MIT */
/*
 * Ids, sets and nodes agree with what /sys and the kernel say, read here by
 * other means; runs on the machine as it is and on faked ones.
 */
#include "check.h"

#include <percpu/percpu.h>

#include <errno.h>
#include <limits.h>
#include <sched.h>
#include <string.h>

#define CPU_DIR "/sys/devices/system/cpu/"
#define NODE_DIR "/sys/devices/system/node/"
#define IDS 8192u

struct set {
	bool known;
	bool has[IDS];
	unsigned end; /* highest + 1 */
};

static struct set read_set(const char *path)
{
	static struct set none;
	struct set s = none;
	unsigned a;
	unsigned b;
	char c = ',';
	FILE *f = fopen(path, "r");

	if (f == NULL)
		return s;
	while (c == ',' && fscanf(f, "%u%c", &a, &c) == 2) {
		b = a;
		if (c == '-' && fscanf(f, "%u%c", &b, &c) != 2)
			break;
		CHECK(b < IDS);
		for (unsigned id = a; id <= b; id++)
			s.has[id] = true;
		s.known = true;
		s.end = b + 1;
	}
	fclose(f);
	return s;
}

static struct set allowed_set(void)
{
	static struct set s;
	cpu_set_t *mask = CPU_ALLOC(IDS);
	size_t size = CPU_ALLOC_SIZE(IDS);

	CPU_ZERO_S(size, mask);
	CHECK(sched_getaffinity(0, size, mask) == 0);
	s.known = true;
	for (unsigned id = 0; id < IDS; id++) {
		s.has[id] = CPU_ISSET_S(id, size, mask);
		if (s.has[id])
			s.end = id + 1;
	}
	CPU_FREE(mask);
	return s;
}

static void check_set(const struct set *s, bool (*has)(unsigned))
{
	for (unsigned id = 0; id < s->end + 70; id++)
		if (has(id) != s->has[id])
			FAIL("CPU %u", id);
	CHECK(!has(1u << 20));
	CHECK(!has(UINT_MAX));
}

static void check_bound(const struct set *possible, const struct set *allowed)
{
	unsigned ids = percpu_nr_cpu_ids();
	int here = percpu_this_cpu();

	CHECK(ids >= allowed->end);
	if (possible->known)
		CHECK_EQ(ids, possible->end > allowed->end ? possible->end :
							     allowed->end);
	CHECK(here >= 0 && (unsigned)here < ids && allowed->has[here]);
	CHECK_EQ(percpu_nr_cpu_ids(), ids);
	CHECK(percpu_this_slot() <= percpu_nr_slots());
	CHECK_EQ(percpu_nr_slots(), ids);
}

/* The node of each CPU, and of one that is on no node. */
static void check_nodes(unsigned ids)
{
	struct set nodes = read_set(NODE_DIR "online");
	char path[80];

	if (!nodes.known) {
		CHECK_EQ(percpu_cpu_to_node(0), 0);
		CHECK_EQ(percpu_cpu_to_node(ids), -EINVAL);
		return;
	}
	for (unsigned n = 0; n < nodes.end; n++) {
		struct set cpus;

		snprintf(path, sizeof(path), NODE_DIR "node%u/cpulist", n);
		cpus = read_set(path);
		for (unsigned id = 0; id < cpus.end; id++)
			if (nodes.has[n] && cpus.has[id])
				CHECK_EQ(percpu_cpu_to_node(id), n);
	}
	CHECK_EQ(percpu_cpu_to_node(IDS), -EINVAL);
}

static void check_line(void)
{
	size_t line = percpu_line_size();
	FILE *f = fopen(CPU_DIR "cpu0/cache/index0/coherency_line_size", "r");
	unsigned zero;

	CHECK(line >= 16 && (line & (line - 1)) == 0);
	if (f == NULL)
		return;
	if (fscanf(f, "%u", &zero) == 1)
		CHECK(line >= zero);
	fclose(f);
}

int main(void)
{
	static struct set possible;
	static struct set online;
	static struct set allowed;

	possible = read_set(CPU_DIR "possible");
	online = read_set(CPU_DIR "online");
	allowed = allowed_set();
	check_bound(&possible, &allowed);
	check_set(&allowed, percpu_cpu_allowed);
	check_set(possible.known ? &possible : &allowed, percpu_cpu_possible);
	check_set(online.known ? &online : &allowed, percpu_cpu_online);
	check_nodes(percpu_nr_cpu_ids());
	check_line();
	return TEST_PASS;
}
