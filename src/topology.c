/* SPDX-License-Identifier: MIT */
/*
 * topology.c: CPU ids, nodes and cache lines, from /sys where it is there.
 *
 * An id is never compared with a count. The table of ids ends after the
 * highest of: what /sys calls possible; what may run this thread; where this
 * thread is. A container may show a /sys with fewer or renumbered CPUs, or
 * none; then the kernel's own mask size bounds the ids, in whole longs: units
 * that no CPU uses cost address space and no memory.
 *
 * Only that bound is kept. The other queries ask the kernel each time, so that
 * no answer is stale when CPUs come and go.
 */
#include "topology.h"

#include "cpulist.h"
#include "os.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#define CPU_DIR "/sys/devices/system/cpu/"
#define NODE_DIR "/sys/devices/system/node/"

/*
 * A page, of which /sys does not print more of a list of CPUs, and little on a
 * thread's stack. One that is longer than that is not believed.
 */
struct list {
	char text[4096 + 2];
};

/* How long it is, or -errno. */
static int get_list(const char *path, struct list *list)
{
	int n = percpu__os_read_file(path, list->text, sizeof(list->text));

	return n < (int)sizeof(list->text) - 1 ? n : -EFBIG;
}

static bool read_list(const char *path, struct list *list)
{
	return get_list(path, list) > 0;
}

/* A list and a set are not on a thread's small stack at the same time. */
static __attribute__((noinline)) long max_listed(const char *path)
{
	struct list list;

	return read_list(path, &list) ? percpu__cpulist_max(list.text) : -1;
}

/* Twice as many ids as any kernel's masks have. */
#define MASK_IDS 16384u

static long allowed_max(void)
{
	unsigned long bits[MASK_IDS / PERCPU__CPUS_WORD];
	long i = MASK_IDS / PERCPU__CPUS_WORD;

	if (percpu__os_affinity(bits, sizeof(bits)) < 0)
		return -1;
	while (--i >= 0)
		if (bits[i] != 0)
			return i * (long)PERCPU__CPUS_WORD +
			       (long)PERCPU__CPUS_WORD - 1 -
			       __builtin_clzl(bits[i]);
	return -1;
}

static long possible_max(void)
{
	long max = max_listed(CPU_DIR "possible");

	return max >= 0 ? max : percpu__os_mask_bits() - 1;
}

static unsigned count_ids(void)
{
	long max = possible_max();
	long allowed = allowed_max();
	long here = percpu__os_cpu();

	if (allowed > max)
		max = allowed;
	if (here > max)
		max = here;
	if (max < 0)
		max = 0;
	return max < (long)PERCPU__IDS_MAX ? (unsigned)max + 1 :
					     PERCPU__IDS_MAX;
}

unsigned percpu_nr_cpu_ids(void)
{
	static atomic_uint ids;
	unsigned known = atomic_load_explicit(&ids, memory_order_relaxed);
	unsigned counted;

	if (known != 0)
		return known;
	/* Two first callers may count differently; one of them is believed. */
	counted = count_ids();
	atomic_compare_exchange_strong_explicit(&ids, &known, counted,
						memory_order_relaxed,
						memory_order_relaxed);
	return known != 0 ? known : counted;
}

bool percpu_cpu_allowed(unsigned cpu)
{
	struct percpu__cpus m;

	return percpu__os_affinity(m.bits, sizeof(m)) == 0 &&
	       percpu__cpus_has(&m, cpu);
}

static __attribute__((noinline)) bool is_told(const char *path, unsigned cpu,
					      bool *has)
{
	struct list list;

	if (!read_list(path, &list) || percpu__cpulist_max(list.text) < 0)
		return false;
	*has = percpu__cpulist_has(list.text, cpu);
	return true;
}

static bool listed(const char *path, unsigned cpu)
{
	bool has;

	return is_told(path, cpu, &has) ? has : percpu_cpu_allowed(cpu);
}

bool percpu_cpu_possible(unsigned cpu)
{
	return listed(CPU_DIR "possible", cpu);
}

bool percpu_cpu_online(unsigned cpu)
{
	return listed(CPU_DIR "online", cpu);
}

static unsigned long count_allowed(void)
{
	struct percpu__cpus m;
	unsigned long count = 0;

	if (percpu__os_affinity(m.bits, sizeof(m)) == 0)
		for (size_t i = 0; i < PERCPU__IDS_MAX / PERCPU__CPUS_WORD; i++)
			count += (unsigned)__builtin_popcountl(m.bits[i]);
	return count;
}

static __attribute__((noinline)) unsigned long count_listed(const char *path)
{
	struct list list;

	return read_list(path, &list) ? percpu__cpulist_count(list.text) : 0;
}

unsigned percpu__topology_online(void)
{
	unsigned long count = count_listed(CPU_DIR "online");

	if (count == 0)
		count = count_allowed();
	if (count > PERCPU__IDS_MAX)
		return PERCPU__IDS_MAX;
	return count != 0 ? (unsigned)count : 1;
}

int percpu__topology_told_set(struct percpu__cpus *set)
{
	struct list list;
	int n = get_list(CPU_DIR "online", &list);
	unsigned long count = n > 0 ? percpu__cpulist_count(list.text) : 0;

	if (n < 0)
		return n;
	if (count == 0 || count > PERCPU__IDS_MAX)
		return -ENODATA;
	memset(set, 0, sizeof(*set));
	percpu__cpulist_mark(list.text, set->bits, PERCPU__IDS_MAX);
	return (int)count;
}

void percpu__topology_online_set(struct percpu__cpus *set)
{
	if (percpu__topology_told_set(set) < 0)
		percpu__os_affinity(set->bits, sizeof(*set));
}

int percpu_this_cpu(void)
{
	return percpu__os_cpu();
}

int percpu_cpu_to_node(unsigned cpu)
{
	char path[80];
	struct list nodes;
	struct list cpus;
	long max = -1;

	if (read_list(NODE_DIR "online", &nodes))
		max = percpu__cpulist_max(nodes.text);
	if (max < 0)
		return cpu < percpu_nr_cpu_ids() ? 0 : -EINVAL;
	for (unsigned node = 0; node <= (unsigned long)max; node++) {
		if (!percpu__cpulist_has(nodes.text, node))
			continue;
		snprintf(path, sizeof(path), NODE_DIR "node%u/cpulist", node);
		if (read_list(path, &cpus) &&
		    percpu__cpulist_has(cpus.text, cpu))
			return (int)node;
	}
	return -EINVAL;
}

void percpu__topology_node_set(unsigned node, struct percpu__cpus *set)
{
	char path[80];
	struct list list;

	snprintf(path, sizeof(path), NODE_DIR "node%u/cpulist", node);
	if (read_list(path, &list)) {
		memset(set, 0, sizeof(*set));
		percpu__cpulist_mark(list.text, set->bits, PERCPU__IDS_MAX);
	} else if (node == 0 && !read_list(NODE_DIR "online", &list)) {
		percpu__topology_online_set(set);
	} else {
		memset(set, 0, sizeof(*set));
	}
}

static size_t line_size_of(unsigned cpu)
{
	char path[96];
	char text[32];
	size_t size = 0;

	snprintf(path, sizeof(path),
		 CPU_DIR "cpu%u/cache/index0/coherency_line_size", cpu);
	if (percpu__os_read_file(path, text, sizeof(text)) <= 0)
		return 0;
	for (const char *at = text; *at >= '0' && *at <= '9'; at++)
		size = size * 10 + (size_t)(*at - '0');
	return size;
}

size_t percpu_line_size(void)
{
	size_t largest = 0;

	for (unsigned cpu = 0; cpu < percpu_nr_cpu_ids(); cpu++) {
		size_t size = line_size_of(cpu);

		if (size > largest)
			largest = size;
	}
	return largest != 0 ? largest : PERCPU_LINE;
}
