/* SPDX-License-Identifier: MIT */
#include "machine.h"

#include <percpu/percpu.h>

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

/* CPU numbers that the kernel's masks are asked for, at most. */
#define MAX_CPUS 8192

/* Whether @list, as "0-1,4" in a file of sysfs, has @cpu. */
static bool list_has(const char *path, int cpu)
{
	char text[256] = "";
	FILE *f = fopen(path, "re");
	bool has = false;

	if (f == NULL)
		return false;
	if (fgets(text, sizeof(text), f) == NULL)
		text[0] = '\0';
	fclose(f);
	for (char *part = strtok(text, ",\n"); part != NULL;
	     part = strtok(NULL, ",\n")) {
		int first, last;
		int n = sscanf(part, "%d-%d", &first, &last);

		has |= n == 1 && cpu == first;
		has |= n == 2 && cpu >= first && cpu <= last;
	}
	return has;
}

static bool same_core(int a, int b)
{
	char path[96];

	snprintf(path, sizeof(path),
		 "/sys/devices/system/cpu/cpu%d/topology/thread_siblings_list",
		 a);
	return list_has(path, b);
}

static void choose_second(struct bench *b, const cpu_set_t *set, size_t size)
{
	for (int cpu = b->cpus[0] + 1; cpu < MAX_CPUS; cpu++) {
		if (!CPU_ISSET_S((size_t)cpu, size, set))
			continue;
		if (b->nr_cpus == 1 || !same_core(b->cpus[0], cpu)) {
			b->cpus[1] = cpu;
			b->siblings = same_core(b->cpus[0], cpu);
			b->nr_cpus = 2;
		}
		if (!b->siblings)
			return;
	}
}

void machine_choose_cpus(struct bench *b)
{
	size_t size = CPU_ALLOC_SIZE(MAX_CPUS);
	cpu_set_t *set = CPU_ALLOC(MAX_CPUS);

	b->nr_cpus = 1;
	b->cpus[0] = 0;
	if (set != NULL && sched_getaffinity(0, size, set) == 0) {
		while (b->cpus[0] < MAX_CPUS - 1 &&
		       !CPU_ISSET_S((size_t)b->cpus[0], size, set))
			b->cpus[0]++;
		choose_second(b, set, size);
	}
	CPU_FREE(set);
}

/* The processor's name as the kernel has it, or the architecture's. */
static void cpu_model(char *to, size_t size, const char *otherwise)
{
	FILE *f = fopen("/proc/cpuinfo", "re");
	char line[256], name[200];

	snprintf(to, size, "%s", otherwise);
	if (f == NULL)
		return;
	while (fgets(line, sizeof(line), f) != NULL)
		if (sscanf(line, "model name : %199[^\n]", name) == 1) {
			snprintf(to, size, "%s", name);
			break;
		}
	fclose(f);
}

static const char *mode_name(enum percpu_mode mode)
{
	switch (mode) {
	case PERCPU_MODE_RSEQ: return "rseq";
	case PERCPU_MODE_ATOMIC: return "atomic";
	default: return "shared";
	}
}

static json_t *measured_cpus(const struct bench *b)
{
	json_t *cpus = json_array();

	for (unsigned i = 0; i < b->nr_cpus; i++)
		json_array_append_new(cpus, json_integer(b->cpus[i]));
	return cpus;
}

static bool optimized(void)
{
#ifdef __OPTIMIZE__
	return true;
#else
	return false;
#endif
}

json_t *machine_describe(const struct bench *b)
{
	struct utsname system;
	const char *why;
	enum percpu_mode mode = percpu_backend(&why);
	char model[200];

	uname(&system);
	cpu_model(model, sizeof(model), system.machine);
	return json_pack("{s:s, s:s, s:s, s:i, s:i, s:o, s:b, s:s, s:s, s:s, "
			 "s:b}",
			 "cpu", model, "architecture", system.machine, "kernel",
			 system.release, "nr_cpu_ids", (int)percpu_nr_cpu_ids(),
			 "line_size", (int)percpu_line_size(), "measured_cpus",
			 measured_cpus(b), "one_core", b->siblings, "backend",
			 mode_name(mode), "why", why, "compiler", __VERSION__,
			 "optimized", optimized());
}
