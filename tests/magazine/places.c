/* SPDX-License-Identifier: MIT */
/*
 * On one CPU: the last item put is the first one got; the 255th put moves a
 * batch of 127 to the depot, an empty magazine takes one; what does not fit goes
 * to the backing, and no more than max_items are cached; trimming leaves a batch
 * for each CPU, and pages for no more; draining leaves nothing. What gets read of a cache is not as far into its page as the
 * counts of magazines that they store.
 */
#include "backing.h"
#include "cpus.h"
#include "memory.h"

static struct backing backing = { .ids = IDS };

static struct percpu_cache *create(size_t max_items, unsigned batch)
{
	struct percpu_cache_attr attr = { max_items, batch, backing_alloc,
					  backing_free, &backing };
	struct percpu_cache *c = percpu_cache_create(&attr);

	CHECK(c != NULL);
	return c;
}

/* Ids that the backing says are out. */
static void take_ids(uint64_t *id, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		CHECK(backing_alloc(&backing, &id[i]) == 0);
}

static void put_all(struct percpu_cache *c, const uint64_t *id, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		CHECK(percpu_cache_put(c, id[i]) == 0);
}

static void check_halves(void)
{
	struct percpu_cache *c[64];

	for (unsigned i = 0; i < 64; i++) {
		c[i] = create(0, i * 4);
		CHECK(((uintptr_t)c[i] ^ (uintptr_t)c[i]->magazines) & 2048);
	}
	/* Neighbours in the list of caches, and others. */
	for (unsigned i = 0; i < 64; i++)
		percpu_cache_destroy(c[i * 5 % 64]);
	for (unsigned i = 0; i < 3; i++)
		c[i] = create(0, 0);
	for (unsigned i = 3; i-- > 0;)
		percpu_cache_destroy(c[(i + 2) % 3]);
}

static void check_last_first(void)
{
	struct percpu_cache *c = create(0, 0);
	uint64_t id[200];
	uint64_t got;

	take_ids(id, 200);
	put_all(c, id, 200);
	for (unsigned i = 200; i-- > 0;) {
		CHECK(percpu_cache_get(c, &got) == 0);
		CHECK_EQ(got, id[i]);
	}
	put_all(c, id, 200);
	percpu_cache_destroy(c);
	CHECK_EQ(backing.out, 0);
}

static void check_batches(void)
{
	struct percpu_cache *c = create(0, 0);
	uint64_t id[255];

	take_ids(id, 255);
	put_all(c, id, 254);
	CHECK_EQ(stats_of(c).depot, has_magazines(c) ? 0 : 254);
	put_all(c, id + 254, 1);
	CHECK_EQ(stats_of(c).depot, has_magazines(c) ? 127 : 255);
	CHECK_EQ(stats_of(c).depot + stats_of(c).magazines, 255);
	percpu_cache_destroy(c);
	CHECK_EQ(backing.out, 0);
}

/* An empty magazine takes a batch from the depot, no more and no less. */
static void check_fill(void)
{
	struct percpu_cache *c = create(0, 0);
	uint64_t id[1000];
	struct percpu_cache_stats had;

	take_ids(id, 1000);
	put_all(c, id, 1000);
	had = stats_of(c);
	for (unsigned i = 0; i < had.magazines; i++)
		CHECK(percpu_cache_get(c, &id[i]) == 0);
	CHECK_EQ(stats_of(c).magazines, 0);
	CHECK_EQ(stats_of(c).depot, had.depot);
	CHECK(percpu_cache_get(c, &id[had.magazines]) == 0);
	if (has_magazines(c)) {
		CHECK_EQ(stats_of(c).magazines, 126);
		CHECK_EQ(stats_of(c).depot, had.depot - 127);
		CHECK_EQ(stats_of(c).fills, had.fills + 1);
	}
	put_all(c, id, (unsigned)had.magazines + 1);
	percpu_cache_destroy(c);
	CHECK_EQ(backing.out, 0);
}

/* The cap is that of all CPUs' magazines and the depot together. */
static void check_cap_of_all(void)
{
	struct percpu_cache *c = create(1000, 0);
	uint64_t id[4096];
	struct percpu_cache_stats s;

	take_ids(id, 4096);
	go_to(allowed_cpu(1));
	put_all(c, id, 2048);
	go_to(allowed_cpu(0));
	for (unsigned i = 2048; i < 4096; i++) {
		CHECK(percpu_cache_put(c, id[i]) == 0);
		s = stats_of(c);
		CHECK(s.depot + s.magazines <= 1000);
	}
	percpu_cache_destroy(c);
	CHECK_EQ(backing.out, 0);
}

static size_t taken_back;

static void take_back(void *arg, uint64_t item)
{
	(void)arg;
	(void)item;
	taken_back++;
}

/* What a depot no longer needs of its array goes back to the system. */
static void check_pages(void)
{
	const size_t items = 1 << 19;
	struct percpu_cache_attr attr = { .max_items = 2 * items,
					  .free = take_back };
	struct percpu_cache *c = percpu_cache_create(&attr);
	size_t had = resident();

	CHECK(c != NULL);
	for (size_t i = 0; i < items; i++)
		CHECK(percpu_cache_put(c, i) == 0);
	CHECK(resident() >= had + items * 7);
	percpu_cache_trim(c);
	CHECK(taken_back > items / 2);
	CHECK(resident() <= had + items * 2);
	percpu_cache_destroy(c);
	CHECK_EQ(taken_back, items);
}

/* Nothing is lost where nothing more fits, and nothing kept beyond the cap. */
static void check_cap(size_t max_items)
{
	struct percpu_cache *c = create(max_items, 0);
	uint64_t id[2048];
	struct percpu_cache_stats s;

	take_ids(id, 2048);
	put_all(c, id, 2048);
	s = stats_of(c);
	CHECK(s.depot + s.magazines <= max_items);
	CHECK(s.depot + s.magazines >= max_items / 4);
	CHECK_EQ(backing.out, s.depot + s.magazines);
	CHECK_EQ(s.frees, 2048 - backing.out);
	CHECK_EQ(percpu_cache_drain(c), 0);
	CHECK_EQ(backing.out, 0);
	percpu_cache_destroy(c);
}

static size_t online(void)
{
	size_t n = 0;

	for (unsigned i = 0; i < percpu_nr_cpu_ids(); i++)
		n += percpu_cpu_online(i);
	return n;
}

static void check_trim(void)
{
	struct percpu_cache *c = create(0, 16);
	size_t keep = stats_of(c).batch * online();
	uint64_t id[2048];
	size_t had;

	take_ids(id, 2048);
	put_all(c, id, 2048);
	had = stats_of(c).depot;
	if (keep > had)
		keep = had;
	CHECK_EQ(percpu_cache_trim(c), had - keep);
	CHECK_EQ(backing.out, 2048 - (had - keep));
	CHECK_EQ(stats_of(c).depot, keep);
	CHECK(percpu_cache_trim(c) == 0);
	percpu_cache_destroy(c);
	CHECK_EQ(backing.out, 0);
}

/* Without a backing the caller keeps what does not fit. */
static void check_alone(void)
{
	struct percpu_cache_attr attr = { .max_items = 64 };
	struct percpu_cache *c = percpu_cache_create(&attr);
	uint64_t seen = 0;
	uint64_t got = 77;
	uint64_t n = 0;

	CHECK(c != NULL);
	CHECK(percpu_cache_get(c, &got) == -ENOENT && got == 77);
	CHECK(percpu_cache_get_ptr(c) == NULL && errno == ENOENT);
	while (percpu_cache_put(c, n) == 0)
		n++;
	CHECK(percpu_cache_put(c, n) == -ENOSPC);
	CHECK(n >= 64 && n <= 128);
	CHECK_EQ(percpu_cache_drain(c), n);
	CHECK_EQ(percpu_cache_trim(c), 0);
	for (uint64_t i = 0; i < n; i++) {
		CHECK(percpu_cache_get(c, &got) == 0);
		seen += got;
	}
	CHECK_EQ(seen, n * (n - 1) / 2);
	CHECK(percpu_cache_put_ptr(c, &attr) == 0);
	CHECK(percpu_cache_get_ptr(c) == &attr);
	percpu_cache_destroy(c);
	percpu_cache_destroy(NULL);
}

static void check_errors(void)
{
	struct percpu_cache_attr attr = { .batch = 256 };

	CHECK(percpu_cache_create(&attr) == NULL && errno == EINVAL);
	attr.batch = 0;
	attr.max_items = SIZE_MAX;
	CHECK(percpu_cache_create(&attr) == NULL && errno == ENOMEM);
}

int main(void)
{
	go_to(allowed_cpu(0));
	check_halves();
	check_last_first();
	check_batches();
	check_fill();
	check_cap_of_all();
	if (MEMORY_IS_OURS)
		check_pages();
	check_cap(1);
	check_cap(100);
	check_cap(1000);
	check_trim();
	check_alone();
	check_errors();
	return TEST_PASS;
}
