/* SPDX-License-Identifier: MIT */
/* Every name of alloc.h in C, and of asan.h what operations use. */
#include <percpu/alloc.h>
#include <percpu/asan.h>
#include <percpu/percpu.h>

#include "check.h"

struct fields {
	uint64_t packets;
	const char *name;
};

static void sizes(void)
{
	void PERCPU *h = percpu_alloc(5, 1);
	size_t max = percpu_max_size();

	CHECK(h != NULL);
	CHECK(percpu_usable_size(h) >= 5);
	CHECK_EQ(percpu_usable_size(NULL), 0);
	CHECK(max >= 4096 && max <= percpu_stride());
	percpu_free(h);
	percpu_free(NULL);
}

static void cachelines(void)
{
	struct fields PERCPU *h = percpu_new_cacheline(struct fields);
	void PERCPU *raw = percpu_alloc_cacheline(1);

	CHECK(h != NULL && raw != NULL);
	CHECK_EQ((uintptr_t)percpu_ptr(h, 0) % PERCPU_LINE, 0);
	CHECK_EQ(percpu_usable_size(raw), PERCPU_LINE);
	percpu_add(&h->packets, 3);
	CHECK_EQ(percpu_sum(&h->packets), 3);
	percpu_free(h);
	percpu_free(raw);
}

static void images(void)
{
	static const struct fields image = { .packets = 3, .name = "eth0" };
	struct fields PERCPU *h = (struct fields PERCPU *)percpu_alloc_init(
		sizeof(image), _Alignof(struct fields), &image);

	CHECK(h != NULL);
	CHECK_EQ(percpu_sum(&h->packets), 3ull * percpu_nr_slots());
	CHECK(percpu_ptr(h, 0)->name == image.name);
	CHECK(percpu_shared_ptr(h)->name == NULL);
	percpu_free(h);
}

static void books(void)
{
	uint64_t PERCPU *h = percpu_new(uint64_t);
	struct percpu_alloc_stats s;
	const struct percpu_alloc_class *class = &s.classes[1];
	FILE *out = tmpfile();

	CHECK(h != NULL && out != NULL);
	percpu_ptr(h, 0)[0] = 1;
	percpu_alloc_stats(&s);
	CHECK(s.live >= 1 && s.live_bytes >= 8 && s.peak_bytes >= 8);
	CHECK(s.chunks >= 1 && s.mapped > s.book_bytes);
	CHECK(s.free_runs >= 1 && s.largest_free <= s.free_bytes);
	CHECK(s.cached_bytes >= s.cached);
	CHECK(class->size == 8 && class->live <= s.live);
	CHECK(class->cached <= s.cached);
	CHECK(class < s.classes + PERCPU_ALLOC_CLASSES);
	CHECK(percpu_alloc_populated(0) >= 8);
	CHECK_EQ(percpu_dump(out), 0);
	CHECK(ftell(out) > 0);
	fclose(out);
	percpu_free(h);
	percpu_trim();
	percpu_alloc_stats(&s);
	CHECK_EQ(s.cached, 0);
}

/* What operations call where AddressSanitizer is, and else are empty. */
static void sanitizer(void)
{
	uint64_t PERCPU *h = percpu_new(uint64_t);

	CHECK(h != NULL);
	for (size_t size = 1; size <= sizeof(*h); size *= 2) {
		percpu__asan_load((void PERCPU *)h, size);
		percpu__asan_store((void PERCPU *)h, size);
	}
	CHECK_EQ(percpu_sum(h), 0);
	percpu_free(h);
}

int main(void)
{
	sizes();
	cachelines();
	images();
	books();
	sanitizer();
	return TEST_PASS;
}
