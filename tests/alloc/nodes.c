/* SPDX-License-Identifier: MIT */
/*
 * Conformance 30: each slot's pages lie on the node of the CPU that writes
 * there, whichever CPU allocated, freed and made them zero before; in a child
 * of fork those that it writes lie so, too. Says where the kernel put them.
 */
#include "slots.h"

#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define PAGES 6u
#define BYTES ((size_t)PAGES * 4096)

static char PERCPU *h;

/* The node of the page at @p; negative if it is on none. */
static int node_of(void *p)
{
	int status = -1;

	if (syscall(SYS_move_pages, 0, 1ul, &p, NULL, &status, 0) != 0)
		SKIP("move_pages: %s", strerror(errno));
	return status;
}

static bool has_nodes(void)
{
	int first = -1;

	for (unsigned cpu = 0; cpu < percpu_nr_cpu_ids(); cpu++) {
		if (!percpu_cpu_allowed(cpu))
			continue;
		if (first >= 0 && percpu_cpu_to_node(cpu) != first)
			return true;
		first = percpu_cpu_to_node(cpu);
	}
	return false;
}

/* The slot as the operations find it, and not by number. */
static void write_here(void)
{
	char *slot = percpu_this_ptr(h);

	CHECK(slot == percpu_ptr(h, percpu_this_slot()));
	for (size_t i = 0; i < BYTES; i += 512)
		percpu_inc(&h[i]);
}

static void *write_on(void *arg)
{
	unsigned cpu = *(unsigned *)arg;
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	CHECK(sched_setaffinity(0, sizeof(set), &set) == 0);
	write_here();
	return NULL;
}

static void check_slot(unsigned cpu)
{
	char *slot = percpu_ptr(h, cpu);

	for (size_t i = 0; i < BYTES; i += 4096)
		if (node_of(slot + i) != percpu_cpu_to_node(cpu))
			FAIL("page %zu of slot %u is on node %d", i / 4096, cpu,
			     node_of(slot + i));
}

static void write_everywhere(void)
{
	pthread_t thread;

	for (unsigned cpu = 0; cpu < percpu_nr_cpu_ids(); cpu++) {
		if (!percpu_cpu_allowed(cpu))
			continue;
		CHECK(pthread_create(&thread, NULL, write_on, &cpu) == 0);
		CHECK(pthread_join(thread, NULL) == 0);
	}
	for (unsigned cpu = 0; cpu < percpu_nr_cpu_ids(); cpu++)
		if (percpu_cpu_allowed(cpu))
			check_slot(cpu);
}

static void check_child(void)
{
	int status;
	pid_t child = fork();

	CHECK(child >= 0);
	if (child == 0) {
		write_everywhere();
		exit(TEST_PASS);
	}
	CHECK(waitpid(child, &status, 0) == child);
	CHECK(WIFEXITED(status) && WEXITSTATUS(status) == TEST_PASS);
}

int main(void)
{
	if (!has_nodes())
		SKIP("one node");
	if (percpu_backend(NULL) == PERCPU_MODE_SHARED)
		SKIP("no slots of CPUs");
	/* Three times, and pages go back to the system in between. */
	for (unsigned round = 0; round < 3; round++) {
		h = must_alloc(BYTES, 4096);
		CHECK(is_filled(h, BYTES, 0));
		write_everywhere();
		check_child();
		percpu_free(h);
		percpu_trim();
	}
	return TEST_PASS;
}
