/* SPDX-License-Identifier: MIT */
/*
 * 100,000 objects of 8 bytes that threads on two CPUs write to take little more
 * memory than the two copies are, books and caches included, and less than 100
 * mappings.
 */
#include "slots.h"

#include "cpus.h"
#include "memory.h"

#define OBJECTS 100000u
#define PAYLOAD ((size_t)2 * OBJECTS * sizeof(uint64_t))
#define MOST (PAYLOAD + PAYLOAD * 15 / 100)

static uint64_t PERCPU *h[OBJECTS];

static void *write_all(void *arg)
{
	move_to(*(unsigned *)arg);
	for (unsigned i = 0; i < OBJECTS; i++)
		percpu_inc(h[i]);
	return NULL;
}

/* Threads' stacks and code are there before anything is measured. */
static void warm_up(void)
{
	for (unsigned i = 0; i < OBJECTS; i++)
		h[i] = NULL;
	h[0] = percpu_new(uint64_t);
	CHECK(h[0] != NULL);
	for (unsigned i = 1; i < OBJECTS; i++)
		h[i] = h[0];
	in_thread(write_all, &cpus[0]);
	in_thread(write_all, &cpus[1]);
	CHECK_EQ(percpu_sum(h[0]), 2 * OBJECTS);
	percpu_free(h[0]);
	percpu_trim();
	resident();
	mappings();
}

static void take_all(void)
{
	for (unsigned i = 0; i < OBJECTS; i++) {
		h[i] = percpu_new(uint64_t);
		CHECK(h[i] != NULL);
	}
}

int main(void)
{
	size_t before;
	size_t grown;
	unsigned maps;

	if (!MEMORY_IS_OURS)
		SKIP("a sanitizer counts with us");
	find_two_cpus();
	warm_up();
	before = resident();
	maps = mappings();
	take_all();
	in_thread(write_all, &cpus[0]);
	in_thread(write_all, &cpus[1]);
	grown = resident() - before;
	maps = mappings() - maps;
	printf("%zu KiB resident for %zu, %u mappings\n", grown / 1024,
	       PAYLOAD / 1024, maps);
	CHECK(grown >= PAYLOAD);
	CHECK(grown <= MOST);
	CHECK(maps < 100);
	for (unsigned i = 0; i < OBJECTS; i++)
		CHECK_EQ(percpu_sum(h[i]), 2);
	return TEST_PASS;
}
