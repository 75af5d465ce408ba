/* SPDX-License-Identifier: MIT */
/* Every name of alloc.h in C++, and of asan.h what operations use. */
#include <percpu/alloc.h>
#include <percpu/asan.h>
#include <percpu/percpu.h>

#include "check.h"

namespace
{

struct fields {
	uint64_t packets;
	char name[70];
};

void sizes()
{
	void PERCPU *h = percpu_alloc(5, 1);
	size_t max = percpu_max_size();

	CHECK(h != nullptr);
	CHECK(percpu_usable_size(h) >= 5);
	CHECK_EQ(percpu_usable_size(nullptr), 0);
	CHECK(max >= 4096 && max <= percpu_stride());
	percpu_free(h);
	percpu_free(nullptr);
}

void cachelines()
{
	fields PERCPU *h = percpu_new_cacheline(fields);
	void PERCPU *raw = percpu_alloc_cacheline(1);

	CHECK(h != nullptr && raw != nullptr);
	CHECK_EQ(reinterpret_cast<uintptr_t>(percpu_ptr(h, 0)) % PERCPU_LINE,
		 0);
	CHECK_EQ(percpu_usable_size(raw), PERCPU_LINE);
	percpu_add(&h->packets, 3);
	CHECK_EQ(percpu_sum(&h->packets), 3);
	percpu_free(h);
	percpu_free(raw);
}

void images()
{
	const uint64_t image[2] = { 3, 4 };
	uint64_t PERCPU *h = static_cast<uint64_t PERCPU *>(
		percpu_alloc_init(sizeof(image), alignof(uint64_t), image));

	CHECK(h != nullptr);
	CHECK_EQ(percpu_sum(h), 3ull * percpu_nr_slots());
	CHECK_EQ(percpu_sum(h + 1), 4ull * percpu_nr_slots());
	CHECK_EQ(*percpu_shared_ptr(h), 0);
	percpu_free(h);
}

void books()
{
	uint64_t PERCPU *h = percpu_new(uint64_t);
	struct percpu_alloc_stats s; /* a function has that name, too */
	const percpu_alloc_class *of_8 = &s.classes[1];
	FILE *out = tmpfile();

	CHECK(h != nullptr && out != nullptr);
	*percpu_ptr(h, 0) = 1;
	percpu_alloc_stats(&s);
	CHECK(s.live >= 1 && s.live_bytes >= 8 && s.peak_bytes >= 8);
	CHECK(s.chunks >= 1 && s.mapped > s.book_bytes);
	CHECK(s.free_runs >= 1 && s.largest_free <= s.free_bytes);
	CHECK(s.cached_bytes >= s.cached);
	CHECK(of_8->size == 8 && of_8->live <= s.live);
	CHECK(of_8->cached <= s.cached);
	CHECK(of_8 < s.classes + PERCPU_ALLOC_CLASSES);
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
void sanitizer()
{
	uint64_t PERCPU *h = percpu_new(uint64_t);

	CHECK(h != nullptr);
	for (size_t size = 1; size <= sizeof(*h); size *= 2) {
		percpu__asan_load(static_cast<void PERCPU *>(h), size);
		percpu__asan_store(static_cast<void PERCPU *>(h), size);
	}
	CHECK_EQ(percpu_sum(h), 0);
	percpu_free(h);
}

} // namespace

int main()
{
	sizes();
	cachelines();
	images();
	books();
	sanitizer();
	return TEST_PASS;
}
