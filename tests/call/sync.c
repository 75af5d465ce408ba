/* SPDX-License-Identifier: MIT */
/*
 * Conformance 78 to 80, 90: percpu_call() runs the function once on the CPU
 * that it names, before it returns, and what the function wrote is there; a CPU
 * that is not there is refused and nothing runs; a csd is 32 bytes on one line.
 */
#include "support.h"

#include <limits.h>
#include <signal.h>
#include <stddef.h>
#include <sys/mman.h>

enum { SECONDS = 60, CALLS = 300, CALLERS = 4 };

_Static_assert(sizeof(struct percpu_csd) == 32, "size");
_Static_assert(_Alignof(struct percpu_csd) == 32, "alignment");
#if defined(__LP64__)
_Static_assert(offsetof(struct percpu_csd, state) == 8, "state");
_Static_assert(offsetof(struct percpu_csd, src) == 12, "src");
_Static_assert(offsetof(struct percpu_csd, dst) == 14, "dst");
_Static_assert(offsetof(struct percpu_csd, fn) == 16, "fn");
_Static_assert(offsetof(struct percpu_csd, arg) == 24, "arg");
#endif

struct seen {
	int cpu;
	unsigned runs; /* plain: ThreadSanitizer is to see the order */
	char name[16];
	sigset_t blocked;
};

static void look(void *arg)
{
	struct seen *seen = arg;

	seen->cpu = percpu_this_cpu();
	seen->runs++;
	CHECK(pthread_getname_np(pthread_self(), seen->name,
				 sizeof(seen->name)) == 0);
	CHECK(pthread_sigmask(SIG_BLOCK, NULL, &seen->blocked) == 0);
}

static void check_place(unsigned cpu)
{
	struct seen seen = { .cpu = -1 };
	char name[32];

	CHECK(percpu_call(cpu, look, &seen) == 0);
	CHECK_EQ(seen.cpu, cpu);
	CHECK_EQ(seen.runs, 1);
	snprintf(name, sizeof(name), "percpu/%u", cpu);
	CHECK(strcmp(seen.name, name) == 0);
	CHECK(sigismember(&seen.blocked, SIGALRM) == 1);
	CHECK(sigismember(&seen.blocked, SIGSEGV) == 0);
}

static void check_nowhere(unsigned cpu)
{
	struct seen seen = { .runs = 0 };
	struct percpu_csd csd;

	percpu_csd_init(&csd, look, &seen);
	for (int i = 0; i < 2; i++) {
		CHECK(percpu_call(cpu, look, &seen) == -ENXIO);
		CHECK(percpu_call_async(cpu, &csd) == -ENXIO);
	}
	CHECK_EQ(seen.runs, 0);
	CHECK(percpu_call_async(cpu_at(0), &csd) == 0);
	CHECK(percpu_call(cpu_at(0), do_nothing, NULL) == 0);
	CHECK_EQ(seen.runs, 1);
}

static char *page;

static void open_page(int sig)
{
	(void)sig;
	mprotect(page, 1, PROT_READ | PROT_WRITE);
}

static void touch_page(void *arg)
{
	(void)arg;
	*page = 1;
}

/* The program handles faults in called functions, too. */
static void check_fault(void)
{
	struct sigaction sa = { .sa_handler = open_page };
	struct sigaction old;

	page = mmap(NULL, 1, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK(page != MAP_FAILED);
	CHECK(sigaction(SIGSEGV, &sa, &old) == 0);
	CHECK(percpu_call(cpu_at(0), touch_page, NULL) == 0);
	CHECK(sigaction(SIGSEGV, &old, NULL) == 0);
	CHECK_EQ(*page, 1);
}

static void increment(void *arg)
{
	(*(unsigned *)arg)++;
}

/* Each has its own number, which all CPUs change, by plain adds. */
static void *call_all(void *arg)
{
	unsigned n = 0;

	for (unsigned i = 0; i < CALLS; i++) {
		CHECK(percpu_call(cpu_at(i), increment, &n) == 0);
		CHECK_EQ(n, i + 1);
		n = i + 1;
	}
	return arg;
}

int main(void)
{
	pthread_t threads[CALLERS];

	alarm(SECONDS);
	find_cpus();
	for (unsigned i = 0; i < nr_cpus; i++)
		check_place(cpus[i]);
	check_fault();
	check_nowhere(percpu_nr_cpu_ids());
	check_nowhere(UINT_MAX);
	for (unsigned i = 0; i < percpu_nr_cpu_ids() && i < 8; i++)
		if (!percpu_cpu_online(i))
			check_nowhere(i);
	for (unsigned i = 0; i < CALLERS; i++)
		CHECK(pthread_create(&threads[i], NULL, call_all, NULL) == 0);
	for (unsigned i = 0; i < CALLERS; i++)
		CHECK(pthread_join(threads[i], NULL) == 0);
	return TEST_PASS;
}
