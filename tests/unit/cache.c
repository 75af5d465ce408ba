/* SPDX-License-Identifier: MIT */
/*
 * cache.c: bins where locks are taken, as under the policies atomic and shared:
 * last in, first out, up to a limit, each slot's apart; emptied once, and left
 * alone while they are shut; what a gone slot has goes, and its pages.
 */
#include "cache.h"
#include "check.h"
#include "lock.h"
#include "memory.h"
#include "no_area.h"
#include "os.h"
#include "policy.h"

#include <errno.h>
#include <pthread.h>

#define SLOTS 4u

struct percpu__rt percpu__rt = { .nr_slots = SLOTS };

static unsigned here; /* this thread's slot */
static int fence_answer;
static bool no_memory;
static bool cannot_drop;

unsigned percpu_this_slot(void)
{
	return here;
}

bool percpu__lock_is_strange(void)
{
	return false;
}

int percpu_fence(void)
{
	return fence_answer;
}

static int maps;
void *__real_percpu__os_reserve(size_t len);
void *__wrap_percpu__os_reserve(size_t len);
void *__wrap_percpu__os_reserve(size_t len)
{
	maps++;
	return __real_percpu__os_reserve(len);
}

void __real_percpu__os_release(void *p, size_t len);
void __wrap_percpu__os_release(void *p, size_t len);
void __wrap_percpu__os_release(void *p, size_t len)
{
	maps--;
	__real_percpu__os_release(p, len);
}

int __real_percpu__os_commit(void *p, size_t len);
int __wrap_percpu__os_commit(void *p, size_t len);
int __wrap_percpu__os_commit(void *p, size_t len)
{
	return no_memory ? -ENOMEM : __real_percpu__os_commit(p, len);
}

int __real_percpu__os_drop(void *p, size_t len);
int __wrap_percpu__os_drop(void *p, size_t len);
int __wrap_percpu__os_drop(void *p, size_t len)
{
	return cannot_drop ? -EINVAL : __real_percpu__os_drop(p, len);
}

/* What a drain gave, in the order in which it did. */
static uint64_t given[1u << 16];
static unsigned given_count;

static void give(const uint64_t *items, unsigned n)
{
	CHECK(n > 0 && n <= PERCPU__BIN_LIMIT_MAX);
	memcpy(given + given_count, items, n * sizeof(*items));
	given_count += n;
}

static unsigned drain(bool all)
{
	given_count = 0;
	CHECK(percpu__cache_drain(all, give));
	return given_count;
}

static void set_mode(uint8_t mode)
{
	struct percpu__policy p = { .mode = mode | PERCPU__LATCHED };

	memcpy(&percpu__rt.policy, &p, sizeof(p));
}

static void open_caches(void)
{
	here = 0;
	CHECK_EQ(percpu__cache_start(), 0);
}

static void close_caches(void)
{
	CHECK_EQ(drain(true), 0);
	percpu__cache_release();
	CHECK_EQ(percpu__cache_mapped(), 0);
	CHECK_EQ(maps, 0);
}

static uint64_t item_of(unsigned bin, unsigned i)
{
	return ((uint64_t)(bin + 1) << 32) + (i << 4);
}

static unsigned fill(unsigned bin)
{
	unsigned n = 0;

	while (percpu__cache_push(bin, item_of(bin, n)))
		n++;
	return n;
}

static void pop_all(unsigned bin, unsigned n)
{
	uint64_t item;

	while (n-- > 0) {
		CHECK(percpu__cache_pop(bin, &item));
		CHECK_EQ(item, item_of(bin, n));
	}
	CHECK(!percpu__cache_pop(bin, &item));
}

/* Without caches nothing is kept, and there is nothing to empty. */
static void not_started(void)
{
	uint64_t item;

	CHECK(!percpu__cache_push(3, 16));
	CHECK(!percpu__cache_pop(3, &item));
	CHECK(!percpu__cache_drain(true, give));
	CHECK(!percpu__cache_drain(false, give));
	percpu__cache_forget();
	percpu__cache_release();
	CHECK_EQ(percpu__cache_mapped(), 0);
	no_memory = true;
	CHECK_EQ(percpu__cache_start(), -ENOMEM);
	no_memory = false;
	CHECK_EQ(percpu__cache_mapped(), 0);
	CHECK_EQ(maps, 0);
}

/* Every bin at once holds its limit and gives the last first. */
static void limits(void)
{
	open_caches();
	for (unsigned bin = 0; bin < PERCPU__BINS; bin++)
		CHECK_EQ(fill(bin), percpu__cache_limit(bin));
	for (unsigned bin = 0; bin < PERCPU__BINS; bin++)
		pop_all(bin, percpu__cache_limit(bin));
	close_caches();
}

/* Pushes and pops in turn. */
static void in_turn(void)
{
	uint64_t item;

	open_caches();
	CHECK(!percpu__cache_pop(7, &item));
	for (unsigned n = 1; n <= percpu__cache_limit(7); n++) {
		for (unsigned i = 0; i < n; i++)
			CHECK(percpu__cache_push(7, item_of(7, i)));
		pop_all(7, n);
	}
	close_caches();
}

/* Under atomic each slot has a cache, under shared all have one. */
static void slots(bool apart)
{
	open_caches();
	for (here = 0; here <= SLOTS; here++)
		CHECK_EQ(fill(9) != 0, apart || here == 0);
	for (here = 0; here <= SLOTS; here++)
		if (apart || here == 0)
			pop_all(9, percpu__cache_limit(9));
	close_caches();
}

/* Each item of each cache is given once, and the caches are empty then. */
static void drained(void)
{
	static const unsigned bins[] = { 0, 1, 32, 33, 64, 65, 128 };
	unsigned n = 0;
	uint64_t sum = 0;

	open_caches();
	for (here = 0; here <= SLOTS; here += 2)
		for (unsigned i = 0; i < 7; i++, n++) {
			CHECK(percpu__cache_push(bins[i], 16 * n));
			sum += 16 * n;
		}
	here = 1;
	CHECK_EQ(drain(false), 0);
	here = 2;
	CHECK_EQ(drain(false), 7);
	for (unsigned i = 0; i < 7; i++)
		sum -= given[i];
	CHECK_EQ(drain(true), n - 7);
	for (unsigned i = 0; i < n - 7; i++)
		sum -= given[i];
	CHECK_EQ(sum, 0);
	CHECK_EQ(drain(true), 0);
	CHECK_EQ(fill(1), percpu__cache_limit(1));
	CHECK_EQ(drain(true), percpu__cache_limit(1));
	close_caches();
}

/* While they are shut nothing goes in or out; forgotten, they are empty. */
static void shut(void)
{
	uint64_t item;

	open_caches();
	CHECK(percpu__cache_push(4, 64));
	percpu__cache_shut();
	CHECK(!percpu__cache_pop(4, &item));
	CHECK(!percpu__cache_push(4, 80));
	CHECK(!percpu__cache_push(5, 80));
	percpu__cache_forget();
	CHECK(!percpu__cache_pop(4, &item));
	pop_all(4, fill(4));
	close_caches();
}

/* So they are where the system drops no pages. */
static void forgotten(void)
{
	open_caches();
	for (here = 0; here <= SLOTS; here++)
		fill(128);
	percpu__cache_shut();
	cannot_drop = true;
	percpu__cache_forget();
	cannot_drop = false;
	CHECK_EQ(drain(true), 0);
	here = SLOTS;
	pop_all(128, fill(128));
	close_caches();
}

/*
 * Without a fence nobody can be kept away from caches that sequences use: a
 * thread empties its own, and memory stays.
 */
static void no_fence(void)
{
	open_caches();
	set_mode(PERCPU_MODE_RSEQ);
	CHECK_EQ(fill(2), percpu__cache_limit(2));
	fence_answer = -ENOSYS;
	CHECK_EQ(drain(true), percpu__cache_limit(2));
	percpu__cache_release();
	CHECK(percpu__cache_mapped() != 0);
	fence_answer = 0;
	percpu__cache_forget();
	pop_all(2, fill(2));
	close_caches();
	set_mode(PERCPU_MODE_ATOMIC);
}

/* Pages of the caches, which lie together, that take memory. */
static size_t taken(void)
{
	size_t pages = percpu__cache_mapped() / percpu__os_page_size();
	size_t taken_pages = 0;
	uint64_t bits[64];

	CHECK(pages <= 64 * 64);
	if (percpu__os_resident(percpu__cache_map.caches.base, pages, bits) < 0)
		SKIP("this system does not tell which pages are there");
	for (size_t i = 0; i < pages; i++)
		taken_pages += bits[i / 64] >> i % 64 & 1;
	return taken_pages;
}

/* A cache that nobody used takes no memory, and is not made to by a drain. */
static void unused(void)
{
	open_caches();
	CHECK_EQ(taken(), 0);
	here = 3;
	CHECK(percpu__cache_push(20, 320));
	CHECK_EQ(taken(), 1);
	CHECK_EQ(drain(true), 1);
	CHECK_EQ(taken(), 1);
	close_caches();
}

static bool is_three(unsigned slot)
{
	return slot == 3;
}

/* What a slot that is gone has goes, and its pages; other slots' stays. */
static void left(void)
{
	open_caches();
	CHECK(percpu__cache_push(20, 160));
	here = 3;
	CHECK(percpu__cache_push(20, 320));
	CHECK(percpu__cache_push(30, 336));
	CHECK(taken() > 1);
	given_count = 0;
	percpu__cache_leave(is_three, give);
	CHECK_EQ(given_count, 2);
	CHECK_EQ(given[0] + given[1], 320 + 336);
	CHECK_EQ(taken(), 1);
	CHECK(percpu__cache_push(20, 352));
	CHECK_EQ(drain(true), 2);
	close_caches();
}

#define ITEMS 64u

static uint32_t turns[ITEMS]; /* which items are somebody's */
static __thread uint64_t drained_items[ITEMS];
static __thread unsigned drained_count;

static void keep(const uint64_t *items, unsigned n)
{
	CHECK(drained_count + n <= ITEMS);
	memcpy(drained_items + drained_count, items, n * sizeof(*items));
	drained_count += n;
}

/* An item is one thread's at a time. */
static void use(uint64_t item)
{
	uint32_t *turn = &turns[item >> 4];

	CHECK_EQ(__atomic_exchange_n(turn, 1, __ATOMIC_ACQ_REL), 0);
	__atomic_store_n(turn, 0, __ATOMIC_RELEASE);
	while (!percpu__cache_push(6, item))
		;
}

static void *pass_around(void *unused_arg)
{
	(void)unused_arg;
	for (unsigned i = 0; i < 100000; i++) {
		uint64_t item;

		if (percpu__cache_pop(6, &item))
			use(item);
		if (i % 256 != 0)
			continue;
		CHECK(percpu__cache_drain(true, keep));
		while (drained_count > 0)
			use(drained_items[--drained_count]);
	}
	return NULL;
}

/* Threads on one slot, while caches are emptied, lose and double nothing. */
static void threads(void)
{
	pthread_t thread[2];
	uint64_t item;

	open_caches();
	given_count = 0;
	for (unsigned i = 0; i < ITEMS; i++)
		CHECK(percpu__cache_push(6, i << 4));
	for (unsigned i = 0; i < 2; i++)
		CHECK(pthread_create(&thread[i], NULL, pass_around, NULL) == 0);
	for (unsigned i = 0; i < 2; i++)
		CHECK(pthread_join(thread[i], NULL) == 0);
	while (percpu__cache_pop(6, &item))
		give(&item, 1);
	CHECK_EQ(given_count, ITEMS);
	for (unsigned i = 0; i < ITEMS; i++)
		CHECK_EQ(turns[given[i] >> 4]++, 0);
	close_caches();
}

int main(void)
{
	set_mode(PERCPU_MODE_ATOMIC);
	not_started();
	limits();
	in_turn();
	slots(true);
	drained();
	shut();
	forgotten();
	no_fence();
	threads();
	set_mode(PERCPU_MODE_SHARED);
	limits();
	slots(false);
	set_mode(PERCPU_MODE_ATOMIC);
	if (MEMORY_IS_OURS) {
		unused();
		left();
	}
	return TEST_PASS;
}
