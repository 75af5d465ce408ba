/* SPDX-License-Identifier: MIT */
/*
 * Conformance 30: each slot's pages lie on the node of the CPU that writes
 * there, or if that has no memory on the nearest that has; whichever CPU
 * allocated, freed and made them zero before; in a child of fork those that it
 * writes lie so, too. Says where the kernel put them. Where it does not tell,
 * what is written is right all the same.
 */
#include "slots.h"

#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define PAGES 6u
#define BYTES ((size_t)PAGES * 4096)
#define NODES 64

static char PERCPU *h;
static const char *untold; /* why */
static unsigned turn;

/* The node of the page at @p; negative if it is on none. */
static int node_of(void *p)
{
	int status = -1;

	if (syscall(SYS_move_pages, 0, 1ul, &p, NULL, &status, 0) != 0)
		untold = strerror(errno);
	return status;
}

static FILE *open_node(int node, const char *name)
{
	char path[80];

	snprintf(path, sizeof(path), "/sys/devices/system/node/node%d/%s", node,
		 name);
	return fopen(path, "r");
}

static bool has_memory(int node)
{
	FILE *f = open_node(node, "meminfo");
	unsigned long kib = 0;

	if (f == NULL)
		return false;
	if (fscanf(f, "Node %*d MemTotal: %lu", &kib) != 1)
		kib = 0;
	fclose(f);
	return kib != 0;
}

/* As the firmware has it: 10 is the node itself. */
static int distance(int from, int to)
{
	FILE *f = open_node(from, "distance");
	int d = 10;

	if (f == NULL)
		return d;
	/* A number for each node that is on line; here they are all. */
	for (int i = 0; i <= to; i++)
		CHECK(fscanf(f, "%d", &d) == 1);
	fclose(f);
	return d;
}

/* Whether pages of a CPU on @home should come to be on @node. */
static bool belongs(int node, int home)
{
	if (node == home)
		return true;
	if (has_memory(home) || !has_memory(node))
		return false;
	for (int i = 0; i < NODES; i++)
		if (has_memory(i) && distance(home, i) < distance(home, node))
			return false;
	return true;
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

static void check_slot(unsigned cpu, int times)
{
	char *slot = percpu_ptr(h, cpu);
	int home = percpu_cpu_to_node(cpu);
	int node = node_of(slot);

	for (size_t i = 0; i < BYTES; i += 512)
		CHECK_EQ(slot[i], times);
	if (untold != NULL)
		return;
	for (size_t i = 0; i < BYTES; i += 4096)
		if (!belongs(node_of(slot + i), home))
			FAIL("page %zu of slot %u, of node %d, is on node %d",
			     i / 4096, cpu, home, node_of(slot + i));
	if (turn == 0 && times == 1)
		printf("slot %u: CPU on node %d%s, pages on node %d\n", cpu,
		       home, has_memory(home) ? "" : " without memory", node);
}

/* For the @times-th time. */
static void write_everywhere(int times)
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
			check_slot(cpu, times);
}

static void check_child(void)
{
	int status;
	pid_t child = fork();

	CHECK(child >= 0);
	if (child == 0) {
		write_everywhere(2);
		_exit(TEST_PASS);
	}
	CHECK(waitpid(child, &status, 0) == child);
	CHECK(WIFEXITED(status) && WEXITSTATUS(status) == TEST_PASS);
}

int main(void)
{
	if (percpu_backend(NULL) == PERCPU_MODE_SHARED)
		SKIP("no slots of CPUs");
	/* Three times, and pages go back to the system in between. */
	for (turn = 0; turn < 3; turn++) {
		h = must_alloc(BYTES, 4096);
		CHECK(is_filled(h, BYTES, 0));
		write_everywhere(1);
		check_child();
		percpu_free(h);
		percpu_trim();
	}
	if (untold != NULL)
		SKIP("move_pages: %s", untold);
	if (!has_nodes())
		SKIP("one node");
	return TEST_PASS;
}
