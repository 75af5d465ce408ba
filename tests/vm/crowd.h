/* SPDX-License-Identifier: MIT */
#ifndef TESTS_VM_CROWD_H
#define TESTS_VM_CROWD_H
/*
 * crowd.h: workers, more than CPUs, that go through the rows, while wakers stop
 * them, move them from CPU to CPU and signal them, and CPUs are taken off line
 * and put back. Each counts beside by how much it changed each row. Beyond the
 * rows they go through two other things:
 *
 *   the section of section.h, which counts its aborts: that machines abort;
 *   the control, `c = this CPU; control[c]++`, without protection: that on
 *   this machine, at this moment, what is not protected is lost.
 *
 * Tried and rejected: one thread that moves all others. With 8 emulated CPUs on
 * 2 real ones each move takes some 50 ms, as another CPU must answer; 24
 * threads had done their work after 10 moves, with one abort or none.
 */
#include "rows.h"

#include <pthread.h>

enum { CROWD_MAX = 512, CROWD_CPUS_MAX = 1024 };

struct member {
	pthread_t id;
	uint64_t random;
	uint64_t handler_random;
	/* By how much each row was changed, and by the handler. */
	uint64_t change[ROWS_MAX];
	uint64_t handler_change[ROWS_MAX];
	uint64_t steps;
	uint64_t handler_steps;
	uint64_t committed; /* sections */
	uint64_t aborted;
	uint64_t controls;
	uint64_t bursts;
	/* Of a worker, by its waker. */
	uint64_t seen;
	uint64_t moves;
	uint64_t signals;
};

struct crowd {
	unsigned workers;
	unsigned wakers;		 /* as many as workers at most */
	unsigned bursts;		 /* of each worker, in a round */
	unsigned toggles;		 /* of CPUs, at least, in a round */
	struct member member[CROWD_MAX]; /* workers, then wakers */
	unsigned started;
	uint64_t toggled; /* in all rounds */
};

/* Until all workers have done their bursts and CPUs were toggled. */
void crowd_round(struct crowd *c);

/* What the sections and the controls left. */
uint64_t crowd_section_sum(void);
uint64_t crowd_control_sum(void);

#endif
