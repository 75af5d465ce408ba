/* SPDX-License-Identifier: MIT */
#include "model.h"

#include "area.h"

#include <errno.h>
#include <setjmp.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>

#define STACK (128u << 10)

/* Accesses that a CPU makes at most before another may run. */
#define QUANTUM 4u

/* What a thread has in its thread-local memory: the area has its own line. */
struct thread {
	char pointer[LINES_BYTES];
	struct percpu__area area;
} __attribute__((aligned(2 * LINES_BYTES)));

ptrdiff_t model_rseq_offset = offsetof(struct thread, area);
const unsigned model_rseq_size = sizeof(struct percpu__area);

static struct cpu {
	struct thread thread;
	jmp_buf at;
	bool runs;
} cpus[LINES_CPUS];

static unsigned count;
static unsigned running;
static unsigned left; /* CPUs whose body has not returned */
static bool on;
static bool in_turn; /* others run in model_yield() only */
static uint64_t random_state;
static unsigned quantum;
static uint64_t moved;

static void (*body_of_all)(unsigned cpu);
static jmp_buf caller;
static char *stacks;

static uint32_t next_random(uint32_t below)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return (uint32_t)((random_state >> 32) * below >> 32);
}

/* A CPU that still runs: the @n-th of them. */
static unsigned nth_running(unsigned n)
{
	unsigned cpu = 0;

	while (!cpus[cpu].runs || n-- > 0)
		cpu++;
	return cpu;
}

static unsigned choose(void)
{
	unsigned n = next_random(left);

	quantum = 1 + next_random(QUANTUM);
	return left == count ? n : nth_running(n);
}

void model_yield(void)
{
	unsigned from = running;

	if (!on)
		return;
	running = choose();
	if (running != from && _setjmp(cpus[from].at) == 0)
		_longjmp(cpus[running].at, 1);
}

static bool same_line(uintptr_t a, uintptr_t b)
{
	return a / LINES_BYTES == b / LINES_BYTES;
}

void model_access(const volatile void *p, size_t size, enum model_kind kind)
{
	uintptr_t at = (uintptr_t)p;
	uintptr_t end = at + size;

	/* The fibres share one real thread's errno; threads do not. */
	if (!on || same_line(at, (uintptr_t)&errno))
		return;
	if (!in_turn && --quantum == 0)
		model_yield();
	for (; at < end; at = (at / LINES_BYTES + 1) * LINES_BYTES)
		moved += kind == MODEL_WRITE ? lines_write(running, at) :
					       lines_read(running, at);
}

void model_start(unsigned n, uint64_t seed)
{
	count = n;
	random_state = (seed + 1) * 0x9e3779b97f4a7c15ull;
	if (stacks == NULL)
		stacks = mmap(NULL, (size_t)LINES_CPUS * STACK,
			      PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1,
			      0);
	if (stacks == MAP_FAILED)
		abort();
	for (unsigned i = 0; i < n; i++)
		cpus[i].thread.area.cpu_id = i;
}

unsigned model_cpus(void)
{
	return count;
}

unsigned model_cpu(void)
{
	return running;
}

uint64_t model_moved(void)
{
	return moved;
}

void *model_thread_pointer(void)
{
	return &cpus[running].thread;
}

/* The first thing on a CPU's stack: wait for model_run(), run, leave. */
static void fibre(void)
{
	unsigned cpu = running;

	if (_setjmp(cpus[cpu].at) == 0)
		_longjmp(caller, 1);
	body_of_all(cpu);
	cpus[cpu].runs = false;
	if (--left == 0)
		_longjmp(caller, 1);
	running = choose();
	_longjmp(cpus[running].at, 1);
}

static void make_fibre(unsigned cpu)
{
	ucontext_t context;

	running = cpu;
	cpus[cpu].runs = true;
	getcontext(&context);
	context.uc_stack.ss_sp = stacks + (size_t)cpu * STACK;
	context.uc_stack.ss_size = STACK;
	context.uc_link = NULL;
	makecontext(&context, fibre, 0);
	if (_setjmp(caller) == 0)
		setcontext(&context);
}

void model_run(void (*body)(unsigned cpu), bool whole)
{
	body_of_all = body;
	in_turn = whole;
	for (volatile unsigned i = 0; i < count; i++)
		make_fibre(i);
	left = count;
	moved = 0;
	running = choose();
	on = true;
	if (_setjmp(caller) == 0)
		_longjmp(cpus[running].at, 1);
	on = false;
	running = 0;
}
