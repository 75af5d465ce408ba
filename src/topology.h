/* SPDX-License-Identifier: MIT */
#ifndef PERCPU_SRC_TOPOLOGY_H
#define PERCPU_SRC_TOPOLOGY_H
/*
 * topology.h: the public queries of cpu.h about CPUs, nodes and lines. The
 * layers above need one of them.
 */
#include <percpu/cpu.h>

/* Tables end here; a CPU with a larger id uses the shared slot. */
#define PERCPU__IDS_MAX 65536u

#define PERCPU__CPUS_WORD (8 * sizeof(unsigned long))

/* A set of CPU ids, as the kernel has them. */
struct percpu__cpus {
	unsigned long bits[PERCPU__IDS_MAX / PERCPU__CPUS_WORD];
};

static inline bool percpu__cpus_has(const struct percpu__cpus *s, unsigned cpu)
{
	return cpu < PERCPU__IDS_MAX &&
	       (s->bits[cpu / PERCPU__CPUS_WORD] >> cpu % PERCPU__CPUS_WORD &
		1) != 0;
}

/* How many CPUs are on line now, at least 1. Cost: reads a file. */
unsigned percpu__topology_online(void);

/*
 * Make @set the CPUs that /sys says are on line now, and return how many.
 * -errno, and @set is undefined, where it does not tell; of these -EMFILE,
 * -ENFILE and -ENOMEM may pass. Cost: reads a file.
 */
int percpu__topology_told_set(struct percpu__cpus *set);

/* The same, or where /sys does not tell, those this thread may use. */
void percpu__topology_online_set(struct percpu__cpus *set);

/*
 * Make @set the CPUs of @node, for which there are none where /sys tells of
 * nodes and not of that; without nodes those of node 0 are all on line.
 */
void percpu__topology_node_set(unsigned node, struct percpu__cpus *set);

#endif
