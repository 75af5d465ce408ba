/* SPDX-License-Identifier: MIT */
/*
 * A thread forks at each instruction of its own percpu_cache_get_limit(), and of
 * a get that fills or steals. In the child the items that were on their way may
 * be missing and none is there twice; or the child goes on with the call, and
 * nothing is missing.
 */
#include "cpus.h"

#include "../alloc/stepped.h"

#include <sys/wait.h>
#include <unistd.h>

/* Items are NONE + 1 to NONE + ITEMS, of which LOW are low. */
enum { NONE = 7, ITEMS = 20, LOW = 3 };

/* What a fork may lose: what was got, and what was moving. */
enum { IN_HAND = 2, SECONDS = 20 };

bool __real_percpu__magazine_push(void PERCPU *h, const uint64_t *capacity,
				  uint64_t item);
bool __wrap_percpu__magazine_push(void PERCPU *h, const uint64_t *capacity,
				  uint64_t item);
bool __real_percpu__magazine_pop(void PERCPU *h, const uint64_t *floor,
				 uint64_t *item);
bool __wrap_percpu__magazine_pop(void PERCPU *h, const uint64_t *floor,
				 uint64_t *item);

static struct percpu_cache *c;
static unsigned here, there;
static uint64_t got;
static int result;
static unsigned forks;
static bool stepping;
static bool child;

/* A sequence that is looked at does not end: they are run at full speed. */
bool __wrap_percpu__magazine_push(void PERCPU *h, const uint64_t *capacity,
				  uint64_t item)
{
	bool ret;

	if (stepping)
		stepped_stop();
	ret = __real_percpu__magazine_push(h, capacity, item);
	if (stepping)
		stepped_go_on();
	return ret;
}

bool __wrap_percpu__magazine_pop(void PERCPU *h, const uint64_t *floor,
				 uint64_t *item)
{
	bool ret;

	if (stepping)
		stepped_stop();
	ret = __real_percpu__magazine_pop(h, floor, item);
	if (stepping)
		stepped_go_on();
	return ret;
}

static void put_range(uint64_t from, uint64_t to)
{
	for (uint64_t i = from; i < to; i++)
		CHECK(percpu_cache_put(c, NONE + 1 + i) == 0);
}

/* Get all there is; how many, of which none twice. */
static unsigned get_all(bool seen[ITEMS])
{
	unsigned n = 0;
	uint64_t id;

	for (; percpu_cache_get(c, &id) == 0; n++) {
		CHECK(id > NONE && id <= NONE + ITEMS && !seen[id - NONE - 1]);
		seen[id - NONE - 1] = true;
	}
	return n;
}

/* With the cache as the fork left it. */
static void use(void)
{
	bool seen[ITEMS] = { false };
	bool open = has_magazines(c);
	unsigned n;

	CHECK_EQ(c->capacity != 0, open);
	n = get_all(seen);
	if (n > ITEMS || n + IN_HAND < ITEMS)
		FAIL("%u items of %u", n, (unsigned)ITEMS);
	put_range(0, ITEMS);
	CHECK(percpu_cache_get_limit(c, NONE + 1, &got) == 0);
	CHECK_EQ(got, NONE + 1);
	CHECK(percpu_cache_put(c, got) == 0);
	memset(seen, 0, sizeof(seen));
	CHECK_EQ(get_all(seen), ITEMS);
}

/* True in the child, if it goes on with the call. */
static bool forked(bool goes_on)
{
	int status;
	pid_t pid = fork();

	CHECK(pid >= 0);
	if (pid == 0) {
		alarm(SECONDS);
		child = true;
		if (goes_on)
			return true;
		stepping = false;
		use();
		_exit(TEST_PASS);
	}
	CHECK(waitpid(pid, &status, 0) == pid);
	CHECK_EQ(status, 0);
	return false;
}

static bool stepped_do(void)
{
	forked(false);
	if (forks++ % 4 != 0 || !forked(true))
		return true;
	stepping = false;
	return false;
}

/* The call has ended, and nothing is missing. */
static void end(int expected)
{
	bool seen[ITEMS] = { false };

	CHECK_EQ(result, expected);
	if (result == 0)
		CHECK(percpu_cache_put(c, got) == 0);
	CHECK_EQ(get_all(seen), ITEMS);
	if (child)
		_exit(TEST_PASS);
	percpu_cache_destroy(c);
}

static void step(void (*call)(void), int expected)
{
	stepping = true;
	stepped_start();
	call();
	stepped_stop();
	stepping = false;
	end(expected);
}

static void create(unsigned batch)
{
	struct percpu_cache_attr attr = { .batch = batch };

	c = percpu_cache_create(&attr);
	CHECK(c != NULL);
	got = 0;
	go_to(here);
}

static void get_low(void)
{
	result = percpu_cache_get_limit(c, NONE + LOW, &got);
}

static void get_none(void)
{
	result = percpu_cache_get_limit(c, NONE, &got);
}

static void get_any(void)
{
	result = percpu_cache_get_u64(c, &got);
}

/* Beneath others in this CPU's magazine. */
static void limit_here(void)
{
	create(0);
	put_range(0, ITEMS);
	step(get_low, 0);
}

/* The last low one, beneath others; the first are in the other magazine. */
static void limit_in_depot(void)
{
	create(2);
	go_to(there);
	put_range(0, ITEMS);
	go_to(here);
	step(get_low, 0);
}

static void limit_elsewhere(void)
{
	create(0);
	go_to(there);
	put_range(0, ITEMS);
	go_to(here);
	step(get_low, 0);
}

static void limit_nowhere(void)
{
	create(0);
	put_range(0, ITEMS);
	step(get_none, -ENOENT);
}

static void fills(void)
{
	create(4);
	put_range(0, ITEMS);
	go_to(there);
	step(get_any, 0);
}

static void steals(void)
{
	create(0);
	put_range(0, ITEMS);
	go_to(there);
	step(get_any, 0);
}

int main(void)
{
	here = allowed_cpu(0);
	there = allowed_cpu(1);
	stepped_prepare();
	limit_here();
	limit_in_depot();
	limit_elsewhere();
	limit_nowhere();
	fills();
	steals();
	CHECK(forks > 100);
	return TEST_PASS;
}
