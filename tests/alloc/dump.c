/* SPDX-License-Identifier: MIT */
/*
 * percpu_dump() writes what percpu_alloc_stats() says and a map of each chunk,
 * page by page; it may be written to a stream that allocates itself. NULL is
 * -EINVAL, a stream that does not take it -EIO.
 */
#include "slots.h"

#include <unistd.h>

#define TEXT_MAX (1u << 20)

static char text[TEXT_MAX];

static void dump(void)
{
	FILE *f = fmemopen(text, sizeof(text), "w");

	CHECK(f != NULL);
	CHECK_EQ(percpu_dump(f), 0);
	fclose(f);
}

static void expect(const char *line)
{
	if (strstr(text, line) == NULL)
		FAIL("'%s' is not in\n%s", line, text);
}

static unsigned count(const char *what)
{
	unsigned n = 0;

	for (const char *at = text; (at = strstr(at, what)) != NULL; at++)
		n++;
	return n;
}

static void expect_head(const struct percpu_alloc_stats *s)
{
	char line[256];

	snprintf(
		line, sizeof(line),
		"%zu objects of %zu bytes live, %zu of %zu at hand for CPUs; %zu bytes free in %zu runs; %zu chunks of %u units",
		s->live, s->live_bytes, s->cached, s->cached_bytes,
		s->free_bytes, s->free_runs, s->chunks, percpu_nr_slots());
	expect(line);
}

static void expect_classes(const struct percpu_alloc_stats *s)
{
	for (unsigned i = 0; i < PERCPU_ALLOC_CLASSES; i++) {
		const struct percpu_alloc_class *c = &s->classes[i];
		char size[24] = "larger";
		char line[128];

		if (c->live == 0 && c->cached == 0)
			continue;
		if (c->size != 0)
			snprintf(size, sizeof(size), "%zu", c->size);
		snprintf(line, sizeof(line), "\n%10s %12zu %12zu\n", size,
			 c->live, c->cached);
		expect(line);
	}
}

static void check_as_stats(void)
{
	struct percpu_alloc_stats s;

	dump();
	percpu_alloc_stats(&s);
	expect_head(&s);
	expect_classes(&s);
	CHECK_EQ(count("chunk at 0x"), s.chunks);
}

/* Full pages on the maps: one more or less where objects share a page. */
static void check_full(unsigned before, size_t more)
{
	unsigned now;

	dump();
	now = count("#");
	CHECK(now + 1 >= before + more);
	CHECK(now <= before + more + 1);
}

/* Every character of a map is a page. */
static void check_map(void)
{
	size_t max = percpu_max_size();
	size_t pages = max / (size_t)sysconf(_SC_PAGESIZE);
	char PERCPU *full;
	char PERCPU *half;
	char line[128];
	unsigned before;

	dump();
	before = count("#");
	full = must_alloc(max, 1);
	check_full(before, pages);
	snprintf(line, sizeof(line),
		 "%zu of %zu bytes of a unit taken, longest free run 0\n", max,
		 max);
	expect(line);
	half = must_alloc(max / 2, 1);
	check_full(before, pages + pages / 2);
	percpu_free(half);
	check_full(before, pages);
	percpu_free(full);
	check_full(before, 0);
}

/* What the stream's own functions do, nobody may be waiting for. */
static ssize_t write_and_allocate(void *cookie, const char *buf, size_t len)
{
	char PERCPU *h = percpu_alloc(percpu_max_size(), 8);

	(void)cookie;
	(void)buf;
	CHECK(h != NULL);
	percpu_free(h);
	percpu_trim();
	return (ssize_t)len;
}

static void check_stream_allocates(void)
{
	cookie_io_functions_t functions = { .write = write_and_allocate };
	FILE *f = fopencookie(NULL, "w", functions);

	CHECK(f != NULL);
	setvbuf(f, NULL, _IONBF, 0);
	CHECK_EQ(percpu_dump(f), 0);
	fclose(f);
}

static void check_errors(void)
{
	FILE *full = fopen("/dev/full", "w");

	CHECK(percpu_dump(NULL) == -EINVAL);
	if (full == NULL)
		SKIP("no /dev/full");
	CHECK(percpu_dump(full) == -EIO);
	fclose(full);
	/* Nothing is remembered of that. */
	check_as_stats();
}

int main(void)
{
	check_as_stats();
	for (size_t size = 1; size < 3000; size += 1 + size / 8)
		must_alloc(size, 1);
	for (unsigned i = 0; i < 300; i++)
		percpu_free(must_alloc(8 + i % 200, 8));
	check_as_stats();
	if (OBJECTS_ARE_PLAIN)
		check_map();
	check_as_stats();
	check_stream_allocates();
	check_errors();
	return TEST_PASS;
}
