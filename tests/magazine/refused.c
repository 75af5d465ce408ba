/* SPDX-License-Identifier: MIT */
/*
 * Where the system refuses a fence that it has granted before, nobody touches
 * what lies in the magazines of other CPUs: a get fails, with a limit and
 * without, a drain says what is left, and all is there when it grants it again.
 */
#include "backing.h"
#include "cpus.h"
#include "os.h"

#include <errno.h>

enum { HERE = 30, THERE = 50 };

__typeof__(percpu__os_membarrier) __wrap_percpu__os_membarrier;
__typeof__(percpu__os_membarrier) __real_percpu__os_membarrier;

static bool refused;
static struct backing backing = { .ids = HERE + THERE };

int __wrap_percpu__os_membarrier(int cmd, unsigned flags, int cpu)
{
	return refused ? -EPERM : __real_percpu__os_membarrier(cmd, flags, cpu);
}

static void put(struct percpu_cache *c, unsigned cpu, unsigned n)
{
	uint64_t id;

	go_to(cpu);
	while (n-- > 0) {
		CHECK(backing_alloc(&backing, &id) == 0);
		CHECK(percpu_cache_put(c, id) == 0);
	}
}

/* On another CPU than the items are. */
static void check_refused(struct percpu_cache *c)
{
	uint64_t id = 7;

	refused = true;
	for (unsigned i = 0; i < 3; i++) {
		CHECK(percpu_cache_get(c, &id) == -ENOENT);
		CHECK(percpu_cache_get_limit(c, UINT64_MAX, &id) == -ENOENT);
	}
	CHECK_EQ(id, 7);
	CHECK_EQ(percpu_cache_drain(c), THERE);
	CHECK_EQ(stats_of(c).magazines, THERE);
	CHECK_EQ(stats_of(c).steals, 0);
	refused = false;
}

int main(void)
{
	struct percpu_cache_attr attr = { .alloc = backing_alloc,
					  .free = backing_free,
					  .arg = &backing };
	struct percpu_cache *c = percpu_cache_create(&attr);
	uint64_t id;

	CHECK(c != NULL);
	if (!has_magazines(c))
		SKIP("there are no magazines here");
	allowed_cpu(1);
	put(c, allowed_cpu(1), THERE);
	put(c, allowed_cpu(0), HERE);
	for (unsigned i = 0; i < HERE; i++)
		CHECK(percpu_cache_get(c, &id) == 0);
	check_refused(c);
	/* Those that it got are not with the backing either. */
	for (unsigned i = 0; i < THERE; i++)
		CHECK(percpu_cache_get(c, &id) == 0);
	CHECK(percpu_cache_get(c, &id) == -ENOENT);
	CHECK_EQ(stats_of(c).magazines, 0);
	percpu_cache_destroy(c);
	return TEST_PASS;
}
