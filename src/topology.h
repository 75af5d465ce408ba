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

/* How many CPUs are on line now, at least 1. Cost: reads a file. */
unsigned percpu__topology_online(void);

/* Which of the CPUs below @ids are on line now. Cost: reads a file. */
void percpu__topology_online_bits(unsigned long *bits, unsigned ids);

#endif
