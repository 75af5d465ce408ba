/* SPDX-License-Identifier: MIT */
#ifndef TESTS_COHERENCE_MODEL_H
#define TESTS_COHERENCE_MODEL_H
/*
 * model.h: a machine of virtual CPUs, on each of which one thread runs: a
 * fibre, so that one real thread runs them all. Before an access to memory the
 * machine may go on with another CPU, as its seed has it, and in no other
 * place: a run is the same each time.
 */
#include "lines.h"

#include <stddef.h>

enum model_kind { MODEL_READ, MODEL_WRITE };

/*
 * The running thread accesses @size bytes at @p now; before that, others may
 * run. Outside of model_run() this does nothing. Whatever accesses memory says
 * so by this: instrumented code by hooks.c, sections by twin.c.
 */
void model_access(const volatile void *p, size_t size, enum model_kind kind);

/* Let others run. */
void model_yield(void);

/* The machine has @cpus CPUs from now on, up to LINES_CPUS. */
void model_start(unsigned cpus, uint64_t seed);
unsigned model_cpus(void);

/* The CPU that runs now; 0 outside of model_run(). */
unsigned model_cpu(void);

/*
 * Run @body on each CPU until all have returned. Lines stay where they are.
 * @whole: others run where the body calls model_yield(), and not before other
 * accesses: then how often a compiler loads what it has loaded changes nothing.
 */
void model_run(void (*body)(unsigned cpu), bool whole);

/* How many lines moved within the last model_run(). */
uint64_t model_moved(void);

/*
 * The thread pointer of the running thread, and how far from it its area for
 * restartable sequences is, in which cpu_id says the CPU.
 */
void *model_thread_pointer(void);
extern ptrdiff_t model_rseq_offset;
extern const unsigned model_rseq_size;

/* What the environment says of PERCPU_BACKEND. */
extern const char *model_policy;

/* Whether fences work, which have nothing to do while no CPU runs. */
extern bool model_fences;

#endif
