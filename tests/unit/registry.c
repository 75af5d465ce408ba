/* SPDX-License-Identifier: MIT */
/*
 * registry.c: chunks that were entered are found, those removed are not, under
 * growth, collisions and churn; and a reader without the lock never misses a
 * chunk that stays.
 */
#include "registry.h"
#include "check.h"
#include "os.h"
#include "random.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>

#define PAGE 4096u
#define ALIGN (64u << 10)
#define STRIDE (ALIGN - PAGE)
#define CHUNKS 3000u

struct percpu__geometry percpu__chunk_geometry = { .mask = ALIGN - 1 };
struct percpu__rt percpu__rt = { .stride = STRIDE };

static bool no_memory;
static bool another; /* another thread makes a table at the same time */
static int tables;   /* that there are, but for the first */

size_t percpu__os_page_size(void)
{
	return PAGE;
}

void *percpu__os_reserve(size_t len)
{
	void *p = no_memory ? NULL : aligned_alloc(PAGE, len);

	tables += p != NULL;
	return p;
}

int percpu__os_commit(void *p, size_t len)
{
	memset(p, 0, len);
	if (another) {
		another = false;
		CHECK_EQ(percpu__registry_reserve(), 0);
	}
	return 0;
}

void percpu__os_release(void *p, size_t len)
{
	(void)len;
	tables--;
	free(p);
}

/* There is nothing where these chunks would be. */
static struct percpu__chunk *chunk(unsigned i)
{
	static __thread struct percpu__chunk chunks[2];
	static __thread unsigned turn;
	struct percpu__chunk *c = &chunks[turn++ % 2];

	c->base = (char *)((uintptr_t)(i + 1) * ALIGN);
	return c;
}

static bool has(unsigned i)
{
	return percpu__registry_has(chunk(i)->base);
}

static void enter(unsigned i)
{
	CHECK_EQ(percpu__registry_reserve(), 0);
	CHECK(percpu__registry_add(chunk(i)));
	CHECK(has(i));
}

static void take_out(unsigned i)
{
	percpu__registry_remove(chunk(i));
	CHECK(!has(i));
}

static size_t entries(void)
{
	return percpu__registry->mask + 1;
}

/* next() comes by each chunk once, and by no other. */
static void check_next(const bool *there, unsigned n)
{
	static unsigned seen[CHUNKS];
	size_t at = 0;
	const void *c;

	memset(seen, 0, sizeof(seen));
	while ((c = percpu__registry_next(&at)) != NULL) {
		size_t i = (uintptr_t)c / ALIGN - 1;

		CHECK(i < n);
		seen[i]++;
	}
	for (unsigned i = 0; i < n; i++) {
		CHECK_EQ(seen[i], there[i]);
		CHECK_EQ(has(i), there[i]);
	}
}

static void end(void)
{
	percpu__registry_release();
	CHECK_EQ(tables, 0);
	CHECK_EQ(entries(), 64);
	check_next((bool[CHUNKS]){ false }, CHUNKS);
}

/* A handle lies in the guard of a chunk, any byte of it. */
static void handles(void)
{
	const char *base = chunk(5)->base;

	CHECK(!percpu__registry_has(NULL));
	CHECK(!percpu__registry_has((void *)1));
	enter(5);
	CHECK(percpu__registry_has(base + 1));
	CHECK(percpu__registry_has(base + STRIDE - 1));
	CHECK(!percpu__registry_has(base + STRIDE));
	CHECK(!percpu__registry_has(base - 1));
	CHECK(!percpu__registry_has(NULL));
	CHECK(!percpu__registry_has((void *)1));
	take_out(5);
	end();
}

/* Chunks are found while one table follows on another. */
static void growth(void)
{
	static bool there[CHUNKS];

	for (unsigned i = 0; i < CHUNKS; i++) {
		enter(i);
		there[i] = true;
		if (i % 100 == 0)
			check_next(there, CHUNKS);
	}
	CHECK(entries() >= 2 * CHUNKS);
	CHECK(tables > 5);
	check_next(there, CHUNKS);
	for (unsigned i = 0; i < CHUNKS; i += 2) {
		take_out(i);
		there[i] = false;
	}
	check_next(there, CHUNKS);
	end();
}

/* Any adds and removes in any order. */
static void churn(void)
{
	static bool there[CHUNKS];
	uint64_t random = 3;
	unsigned n = 40;

	for (unsigned i = 0; i < 60000; i++) {
		unsigned at = pick(&random, n);

		if (there[at])
			take_out(at);
		else
			enter(at);
		there[at] = !there[at];
		if (i % 200 == 0)
			check_next(there, n);
	}
	/* What was removed leaves room. */
	CHECK(entries() <= 256);
	memset(there, 0, sizeof(there));
	end();
}

/* @n chunks whose search starts at one place of the first table. */
static void collide(unsigned place, unsigned *which, unsigned n)
{
	unsigned found = 0;

	for (unsigned i = 0; found < n; i++) {
		uintptr_t base = (uintptr_t)chunk(i)->base;

		if ((percpu__registry_hash(base) & 63) == place)
			which[found++] = i;
	}
}

/* Chunks of one place, which may be the last, are found beside each other. */
static void collisions(unsigned place)
{
	unsigned c[4];

	collide(place, c, 4);
	for (unsigned i = 0; i < 3; i++)
		enter(c[i]);
	take_out(c[0]);
	CHECK(has(c[1]) && has(c[2]));
	take_out(c[1]);
	CHECK(has(c[2]) && !has(c[3]));
	/* Into the place of one that is gone, before one that is there. */
	enter(c[3]);
	enter(c[0]);
	CHECK(has(c[2]) && has(c[3]) && has(c[0]));
	take_out(c[2]);
	CHECK(has(c[3]) && has(c[0]));
	take_out(c[0]);
	take_out(c[3]);
	for (unsigned i = 0; i < 64; i++)
		CHECK_EQ(percpu__registry->entries[i], 0);
	end();
}

/* Without memory for a table there is no room, and all is as it was. */
static void memory_short(void)
{
	unsigned n = 0;

	no_memory = true;
	while (percpu__registry_reserve() == 0)
		CHECK(percpu__registry_add(chunk(n++)));
	CHECK(n >= 32);
	CHECK_EQ(percpu__registry_reserve(), -ENOMEM);
	CHECK(!percpu__registry_add(chunk(n)));
	CHECK(!has(n));
	no_memory = false;
	/* Room is made once, however many ask. */
	another = true;
	CHECK_EQ(percpu__registry_reserve(), 0);
	CHECK(!another);
	CHECK_EQ(percpu__registry_reserve(), 0);
	CHECK_EQ(tables, 1);
	CHECK(percpu__registry_add(chunk(n)));
	for (unsigned i = 0; i <= n; i++)
		CHECK(has(i));
	CHECK_EQ(percpu__registry_reserve(), 0);
	CHECK_EQ(tables, 1);
	end();
}

#define STAY 24u

static bool done;

/* Chunks below STAY are always there, those of other numbers never. */
static void *read_all(void *rounds)
{
	unsigned *n = rounds;

	while (!__atomic_load_n(&done, __ATOMIC_ACQUIRE)) {
		for (unsigned i = 0; i < STAY; i++)
			if (!has(i))
				FAIL("chunk %u was missed", i);
		CHECK(!has(CHUNKS));
		++*n;
	}
	return NULL;
}

/* Others come and go, more and more of them. */
static void write_some(void)
{
	static bool there[CHUNKS];
	uint64_t random = 9;

	for (unsigned most = STAY + 4; most < CHUNKS; most += most / 4)
		for (unsigned i = 0; i < 20000; i++) {
			unsigned at = STAY + pick(&random, most - STAY);

			if (there[at])
				percpu__registry_remove(chunk(at));
			else
				enter(at);
			there[at] = !there[at];
		}
}

/* A reader finds what stays while others come and go and tables follow. */
static void reader(void)
{
	unsigned rounds = 0;
	pthread_t thread;

	for (unsigned i = 0; i < STAY; i++)
		enter(i);
	CHECK(pthread_create(&thread, NULL, read_all, &rounds) == 0);
	write_some();
	/* It takes a while to fill tables as large as these. */
	for (unsigned i = 1; i < 50000; i++)
		enter(CHUNKS + i);
	__atomic_store_n(&done, true, __ATOMIC_RELEASE);
	CHECK(pthread_join(thread, NULL) == 0);
	printf("%u rounds, %zu entries\n", rounds, entries());
	end();
}

int main(void)
{
	handles();
	for (unsigned place = 0; place < 64; place++)
		collisions(place);
	churn();
	growth();
	memory_short();
	reader();
	return TEST_PASS;
}
