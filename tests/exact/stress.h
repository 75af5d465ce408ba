/* SPDX-License-Identifier: MIT */
#ifndef TESTS_EXACT_STRESS_H
#define TESTS_EXACT_STRESS_H
/*
 * stress.h: threads that add to one object while a mover sends them from CPU
 * to CPU and signals them; the signal's handler adds to the same object. Each
 * add is counted beside, per thread and per handler, and at the end the sums
 * must be what was counted, in the slots where they belong.
 *
 * An add to another CPU's unit harms a sum only if that CPU adds at the same
 * instant, which is rare. So every other worker is a walker, which looks for
 * the wrong unit itself: nobody but its own handler moves it, it adds to an
 * object that is its own, and the units of CPUs that it is not on must stand
 * still.
 *
 *	struct stress s;
 *
 *	stress_init(&s, CROWD, bursts);
 *	... change s.worker[i] as the test needs ...
 *	stress_run(&s);
 *	stress_check(&s);
 */
#include <percpu/percpu.h>

#include <pthread.h>
#include <sched.h>
#include <semaphore.h>

/*
 * All widths, in two words that several widths share: an add that touches its
 * neighbour makes the neighbour's sum wrong, or quiet other than zero.
 */
struct stress_object {
	uint8_t byte;
	uint8_t quiet; /* nobody adds to it */
	uint16_t two;
	uint32_t four;
	uint64_t eight;
	uint32_t late_four;
	uint16_t late_two;
	uint8_t odd;
	uint8_t still; /* nor to it */
	uint64_t last;
	uint64_t ops; /* everybody's: an increment for each add above */
};

enum {
	STRESS_FIELDS = 8,
	STRESS_THREADS_MAX = 64,
	STRESS_CPUS_MAX = 64,
	STRESS_BURST = 16
};

/*
 * STRESS_BURST adds, subs, incs or decs to one field, inlined or by a function,
 * all of it as @random says; @added[field] changes by the same. And as many
 * increments of ops and of *@own, close together, so that most of the time a
 * thread is in the middle of one.
 */
typedef void stress_op_fn(struct stress_object PERCPU *h, uint64_t PERCPU *own,
			  uint64_t random, uint64_t *added);

stress_op_fn stress_op;	       /* compiled as programs are */
stress_op_fn stress_op_shared; /* compiled as under ThreadSanitizer */

/* What a worker's adds must do. */
enum stress_place {
	STRESS_RSEQ = PERCPU_MODE_RSEQ,	    /* to units, rarely elsewhere */
	STRESS_ATOMIC = PERCPU_MODE_ATOMIC, /* to units alone */
	STRESS_SHARED = PERCPU_MODE_SHARED, /* to the shared slot alone */
	STRESS_ANYWHERE
};

struct worker {
	/* The test may change these between stress_init() and stress_run(). */
	enum stress_place place;
	stress_op_fn *op;
	void (*first)(void);  /* in the thread, before it adds */
	void (*midway)(void); /* in the thread, after half of its adds */
	bool watch;	      /* that units of other CPUs stand still */

	struct stress *stress;
	uint64_t PERCPU *own;
	pthread_t id;
	bool walks;
	unsigned at; /* the CPU, where other units were so: */
	uint64_t units[STRESS_CPUS_MAX];
	uint64_t random;
	uint64_t handler_random;
	uint64_t ops;
	uint64_t ops_seen; /* by the mover */
	uint64_t handler_ops;
	uint64_t added[STRESS_FIELDS];
	uint64_t handler_added[STRESS_FIELDS];
};

struct stress {
	struct stress_object PERCPU *h;
	unsigned threads;
	unsigned bursts;
	cpu_set_t cpus; /* that workers are moved to */
	unsigned long moves;
	int stop;
	sem_t done;
	sem_t leave;
	struct worker worker[STRESS_THREADS_MAX];
};

/* Every worker is expected to use what percpu_backend() tells the caller. */
void stress_init(struct stress *s, unsigned threads, unsigned bursts);
void stress_run(struct stress *s);
void stress_check(const struct stress *s);

/* Workers go to every CPU that the kernel lets them, whatever their mask is. */
void stress_widen(struct stress *s);

#endif
