/* SPDX-License-Identifier: MIT */
/*
 * Where the system backs all memory with huge pages, the library's own has
 * none: 10,000 objects of 8 bytes that two CPUs touch take the pages with the
 * two copies, and a page of each unit of a chunk touched once takes a page.
 *
 * A control, a plain mapping, must get huge pages.
 */
#include "check.h"

#include <percpu/percpu.h>

#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>

#define OBJECTS 10000u
#define LARGE 8u
#define CPUS 2u
#define PAGE 4096u
#define CONTROL ((size_t)8 << 20)

static uint64_t PERCPU *small[OBJECTS];
static char PERCPU *large[LARGE];

struct usage {
	size_t resident;
	size_t huge;
};

static bool has_slot_of(uintptr_t from, uintptr_t to, char PERCPU *h)
{
	char *slot;

	percpu_for_each_slot (slot, h)
		if ((uintptr_t)slot >= from && (uintptr_t)slot < to)
			return true;
	return false;
}

/* Whether [from, to) is the library's, or the control if that is given. */
static bool is_of(uintptr_t from, uintptr_t to, const void *control)
{
	if (control != NULL)
		return (uintptr_t)control >= from && (uintptr_t)control < to;
	for (unsigned i = 0; i < LARGE; i++)
		if (large[i] != NULL && has_slot_of(from, to, large[i]))
			return true;
	return has_slot_of(from, to, (char PERCPU *)small[0]) ||
	       has_slot_of(from, to, (char PERCPU *)small[OBJECTS - 1]);
}

static size_t field(const char *line, const char *name)
{
	size_t kib = 0;

	if (strncmp(line, name, strlen(name)) == 0)
		kib = strtoul(line + strlen(name), NULL, 10);
	return kib * 1024;
}

static struct usage usage_of(const void *control)
{
	struct usage sum = { 0, 0 };
	FILE *f = fopen("/proc/self/smaps", "r");
	char line[256];
	bool counts = false;

	CHECK(f != NULL);
	while (fgets(line, sizeof(line), f) != NULL) {
		size_t from;
		size_t to;

		if (sscanf(line, "%zx-%zx ", &from, &to) == 2)
			counts = is_of(from, to, control);
		if (!counts)
			continue;
		sum.resident += field(line, "Anonymous:");
		sum.huge += field(line, "AnonHugePages:");
	}
	fclose(f);
	return sum;
}

static void check_control(void)
{
	struct usage control;
	char *p = mmap(NULL, CONTROL, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	CHECK(p != MAP_FAILED);
	p[CONTROL / 2] = 1;
	control = usage_of(p + CONTROL / 2);
	printf("control: %zu KiB, %zu in huge pages\n", control.resident / 1024,
	       control.huge / 1024);
	if (control.huge == 0)
		SKIP("this system has no huge pages for everybody");
	munmap(p, CONTROL);
}

static void *touch(void *arg)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(*(unsigned *)arg, &set);
	if (sched_setaffinity(0, sizeof(set), &set) != 0)
		SKIP("no CPU %u", *(unsigned *)arg);
	for (unsigned i = 0; i < OBJECTS; i++)
		percpu_inc(small[i]);
	return NULL;
}

static void check_small(void)
{
	const size_t payload = CPUS * OBJECTS * 8;
	struct usage usage;

	for (unsigned i = 0; i < OBJECTS; i++) {
		small[i] = (uint64_t PERCPU *)percpu_alloc(8, 8);
		CHECK(small[i] != NULL);
	}
	for (unsigned cpu = 0; cpu < CPUS; cpu++) {
		pthread_t thread;

		CHECK(pthread_create(&thread, NULL, touch, &cpu) == 0);
		CHECK(pthread_join(thread, NULL) == 0);
	}
	for (unsigned i = 0; i < OBJECTS; i++)
		CHECK_EQ(percpu_sum(small[i]), CPUS);
	usage = usage_of(NULL);
	printf("%zu KiB for %zu, %zu in huge pages\n", usage.resident / 1024,
	       payload / 1024, usage.huge / 1024);
	CHECK_EQ(usage.huge, 0);
	/* The books, and pages begun, are little beside it. */
	CHECK(usage.resident >= payload);
	CHECK(usage.resident <= payload + payload / 2);
}

/* Chunks at other places, a byte of each unit. */
static void check_large(void)
{
	size_t before = usage_of(NULL).resident;
	size_t pages = 0;
	struct usage usage;
	char *slot;

	for (unsigned i = 0; i < LARGE; i++) {
		large[i] = percpu_alloc(percpu_max_size(), 8);
		CHECK(large[i] != NULL);
		percpu_for_each_slot (slot, large[i]) {
			slot[percpu_max_size() / 2] = 1;
			pages++;
		}
	}
	usage = usage_of(NULL);
	printf("%zu KiB more for %zu pages, %zu in huge pages\n",
	       (usage.resident - before) / 1024, pages, usage.huge / 1024);
	CHECK_EQ(usage.huge, 0);
	/* And what a book may have, for each object. */
	CHECK(usage.resident - before <= (pages + LARGE * 48) * PAGE);
}

int main(void)
{
	check_control();
	check_small();
	check_large();
	return TEST_PASS;
}
