/* SPDX-License-Identifier: MIT */
/*
 * CPU ids and nodes where /sys is absent, smaller than the machine, damaged,
 * or has ids of any size. Each case is a process, since the bound of ids is
 * kept; the system is the struct below.
 */
#include "topology.h"
#include "check.h"
#include "os.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define LONG_BITS (8 * sizeof(unsigned long))

/* The system of a case; a file that is NULL is not there. */
static struct {
	const char *possible;
	const char *online;
	unsigned allowed[4]; /* ids + 1, then 0 */
	int cpu;
	int mask_bits;
	const char *nodes;
	const char *node1;
	const char *node3;
	const char *line0;
	const char *line1;
} sys;

static const char *file(const char *path)
{
#define CPU "/sys/devices/system/cpu/"
#define NODE "/sys/devices/system/node/"
#define LINE "/cache/index0/coherency_line_size"
	const struct {
		const char *path;
		const char *text;
	} files[] = {
		{ CPU "possible", sys.possible },
		{ CPU "online", sys.online },
		{ CPU "cpu0" LINE, sys.line0 },
		{ CPU "cpu1" LINE, sys.line1 },
		{ NODE "online", sys.nodes },
		{ NODE "node1/cpulist", sys.node1 },
		{ NODE "node3/cpulist", sys.node3 },
	};

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		if (strcmp(path, files[i].path) == 0)
			return files[i].text;
	return NULL;
}

int percpu__os_read_file(const char *path, char *buf, size_t size)
{
	const char *text = file(path);
	size_t len;

	if (text == NULL)
		return -ENOENT;
	len = strlen(text) < size - 1 ? strlen(text) : size - 1;
	memcpy(buf, text, len);
	buf[len] = '\0';
	return (int)len;
}

int percpu__os_affinity(unsigned long *mask, size_t bytes)
{
	memset(mask, 0, bytes);
	if (sys.allowed[0] == 0)
		return -EINVAL;
	for (size_t i = 0; sys.allowed[i] != 0; i++) {
		unsigned id = sys.allowed[i] - 1;

		if (id / 8 >= bytes)
			return -EINVAL;
		mask[id / LONG_BITS] |= 1ul << id % LONG_BITS;
	}
	return 0;
}

int percpu__os_cpu(void)
{
	return sys.cpu;
}

int percpu__os_mask_bits(void)
{
	return sys.mask_bits;
}

static void plain(void)
{
	sys.possible = "0-3\n";
	sys.online = "0-1,3\n";
	CHECK_EQ(percpu_nr_cpu_ids(), 4);
	CHECK(percpu_cpu_possible(2) && !percpu_cpu_possible(4));
	CHECK(percpu_cpu_online(3) && !percpu_cpu_online(2));
	CHECK(percpu_cpu_allowed(1) && !percpu_cpu_allowed(2));
	CHECK(!percpu_cpu_allowed(UINT_MAX));
	CHECK(!percpu_cpu_possible(UINT_MAX));
	CHECK_EQ(percpu_this_cpu(), 1);
}

/* The answer stands, whatever the system says later. */
static void kept(void)
{
	sys.possible = "0-3\n";
	CHECK_EQ(percpu_nr_cpu_ids(), 4);
	sys.possible = "0-7\n";
	sys.cpu = 9;
	CHECK_EQ(percpu_nr_cpu_ids(), 4);
}

static void no_sys(void)
{
	CHECK_EQ(percpu_nr_cpu_ids(), 64);
	CHECK(percpu_cpu_possible(1) && !percpu_cpu_possible(0));
	CHECK(percpu_cpu_online(1) && !percpu_cpu_online(2));
	CHECK_EQ(percpu_cpu_to_node(63), 0);
	CHECK_EQ(percpu_cpu_to_node(64), -EINVAL);
	CHECK_EQ(percpu_line_size(), PERCPU_LINE);
}

static void nothing_at_all(void)
{
	sys.mask_bits = -ENOSYS;
	sys.cpu = -ENOSYS;
	sys.allowed[0] = 0;
	CHECK_EQ(percpu_nr_cpu_ids(), 1);
	CHECK(!percpu_cpu_possible(0));
	CHECK_EQ(percpu_this_cpu(), -ENOSYS);
}

static void possible_below_allowed(void)
{
	sys.possible = "0\n";
	sys.allowed[1] = 7 + 1;
	CHECK_EQ(percpu_nr_cpu_ids(), 8);
}

static void here_beyond_all(void)
{
	sys.possible = "0-1\n";
	sys.cpu = 11;
	CHECK_EQ(percpu_nr_cpu_ids(), 12);
}

static void large_ids(void)
{
	sys.possible = "0-3,5000\n";
	sys.allowed[1] = 5001 + 1;
	CHECK_EQ(percpu_nr_cpu_ids(), 5002);
	CHECK(percpu_cpu_possible(5000) && !percpu_cpu_possible(4999));
	CHECK(percpu_cpu_allowed(5001) && !percpu_cpu_allowed(5000));
}

static void beyond_tables(void)
{
	sys.possible = "0-999999\n";
	sys.cpu = 70000;
	sys.allowed[1] = 65535 + 1;
	CHECK_EQ(percpu_nr_cpu_ids(), PERCPU__IDS_MAX);
	CHECK(percpu_cpu_allowed(65535) && !percpu_cpu_allowed(65536));
}

static void damaged(void)
{
	static const char *const lists[] = { "", "\n", "x\n", "0-\n", "3-0\n" };

	sys.possible = lists[sys.cpu];
	sys.cpu = 0;
	CHECK_EQ(percpu_nr_cpu_ids(), 64);
}

static void nodes(void)
{
	sys.possible = "0-3,9\n";
	sys.nodes = "1,3\n";
	sys.node1 = "0,2\n";
	sys.node3 = "1,3\n";
	CHECK_EQ(percpu_cpu_to_node(0), 1);
	CHECK_EQ(percpu_cpu_to_node(1), 3);
	CHECK_EQ(percpu_cpu_to_node(3), 3);
	CHECK_EQ(percpu_cpu_to_node(9), -EINVAL);
	CHECK_EQ(percpu_cpu_to_node(UINT_MAX), -EINVAL);
	sys.node1 = NULL;
	CHECK_EQ(percpu_cpu_to_node(0), -EINVAL);
	CHECK_EQ(percpu_cpu_to_node(1), 3);
}

static void largest_line(void)
{
	sys.possible = "0-1\n";
	sys.line0 = "64\n";
	sys.line1 = "128\n";
	CHECK_EQ(percpu_line_size(), 128);
	sys.line1 = "x\n";
	CHECK_EQ(percpu_line_size(), 64);
	sys.line0 = "256";
	CHECK_EQ(percpu_line_size(), 256);
}

static void run(const char *name, void (*body)(void), int cpu)
{
	int status;
	pid_t child = fork();

	if (child == 0) {
		sys.allowed[0] = 1 + 1;
		sys.cpu = cpu;
		sys.mask_bits = 64;
		body();
		exit(TEST_PASS);
	}
	CHECK(waitpid(child, &status, 0) == child);
	if (!WIFEXITED(status) || WEXITSTATUS(status) != TEST_PASS)
		FAIL("case %s", name);
}

int main(void)
{
#define RUN(body) run(#body, body, 1)
	RUN(plain);
	RUN(kept);
	RUN(no_sys);
	RUN(nothing_at_all);
	RUN(possible_below_allowed);
	RUN(here_beyond_all);
	RUN(large_ids);
	RUN(beyond_tables);
	for (int i = 0; i < 5; i++)
		run("damaged", damaged, i);
	RUN(nodes);
	RUN(largest_line);
	return TEST_PASS;
}
