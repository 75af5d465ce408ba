/* SPDX-License-Identifier: MIT */
#ifndef TESTS_COUNTER_CROWD_H
#define TESTS_COUNTER_CROWD_H
/*
 * crowd.h: threads that do the same again and again while one more moves them
 * from CPU to CPU and signals them.
 */
#include <pthread.h>
#include <stdint.h>

#define CROWD 6u

struct crowd_member {
	pthread_t thread;
	uint64_t random;
	int64_t added;		  /* for @step */
	int64_t added_in_handler; /* for @handler */
	unsigned steps;
};

struct crowd {
	void (*step)(struct crowd_member *me);
	void (*handler)(struct crowd_member *me); /* NULL: no signals */
	unsigned steps;				  /* of each thread */
	struct crowd_member member[CROWD];
};

/* Begin together, and run until each thread has done its steps. */
void crowd_run(struct crowd *c);

/* What all members have added. */
int64_t crowd_added(const struct crowd *c);

uint64_t crowd_random(struct crowd_member *me);

/* The CPU of this thread only; 0 or -1. */
int crowd_pin(pthread_t thread, unsigned n);

#endif
