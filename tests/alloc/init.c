/* SPDX-License-Identifier: MIT */
/*
 * percpu_alloc_init(): every unit starts as the image, the shared slot as zero,
 * also in recycled memory; bytes beyond the image are zero, neighbours are left
 * alone, and no page that stays zero becomes resident. Errors are those of
 * percpu_alloc(), and no image is EINVAL.
 */
#include "pages.h"

static char image[3 * 65536];

/* A byte that is not zero for each of the first @n. */
static void draw_image(size_t n, unsigned seed)
{
	memset(image, 0, sizeof(image));
	for (size_t i = 0; i < n; i++)
		image[i] = (char)(1 + (i * 7 + seed) % 255);
}

static char PERCPU *must_init(size_t size, size_t align)
{
	char PERCPU *h = percpu_alloc_init(size, align, image);

	if (h == NULL)
		FAIL("no image of %zu bytes: %s", size, strerror(errno));
	return h;
}

static void check_image(char PERCPU *h, size_t size)
{
	unsigned last = percpu_nr_slots();
	size_t usable = percpu_usable_size(h);

	for (unsigned slot = 0; slot < last; slot++) {
		const char *at = percpu_ptr(h, slot);

		if (memcmp(at, image, size) != 0)
			FAIL("%zu bytes: slot %u is no image", size, slot);
		for (size_t i = size; i < usable; i++)
			CHECK_EQ(at[i], 0);
	}
	for (size_t i = 0; i < usable; i++)
		CHECK_EQ(percpu_shared_ptr(h)[i], 0);
}

/* Twice: fresh memory, and what the first left. */
static void check_size(size_t size, size_t align)
{
	char PERCPU *before = must_alloc(size, 1);
	char PERCPU *after;
	char PERCPU *h;

	fill(before, size, 0x5a);
	for (unsigned seed = 0; seed < 2; seed++) {
		draw_image(size, seed);
		h = must_init(size, align);
		after = must_alloc(size, 1);
		CHECK_EQ((uintptr_t)percpu_ptr(h, 0) % align, 0);
		check_image(h, size);
		CHECK(is_filled(before, size, 0x5a));
		CHECK(is_filled(after, size, 0));
		fill(h, size, 0x77);
		percpu_free(h);
		percpu_free(after);
	}
	percpu_free(before);
}

static void refused(size_t size, size_t align, const void *from, int err)
{
	errno = 0;
	if (percpu_alloc_init(size, align, from) != NULL)
		FAIL("%zu bytes at %zu were given", size, align);
	CHECK_EQ(errno, err);
}

static void check_errors(void)
{
	refused(8, 8, NULL, EINVAL);
	refused(0, 8, NULL, EINVAL);
	refused(0, 8, image, EINVAL);
	refused(8, 0, image, EINVAL);
	refused(8, 3, image, EINVAL);
	refused(8, 2 * page_size(), image, ENOMEM);
	refused(percpu_max_size() + 1, 8, image, ENOMEM);
	refused(SIZE_MAX, 8, image, ENOMEM);
}

/* Of eleven pages, two are not zero: so many become resident in each unit. */
static void check_pages(void)
{
	size_t page = page_size();
	size_t size = 11 * page;
	char PERCPU *h;

	if (!MEMORY_IS_OURS || size > sizeof(image))
		return;
	percpu_trim();
	draw_image(0, 0);
	image[2 * page] = 1;
	image[8 * page - 1] = 2;
	h = must_init(size, page);
	check_image(h, size);
	for (unsigned slot = 0; slot < percpu_nr_slots(); slot++)
		if (tells_read_pages())
			CHECK_EQ(percpu_alloc_populated(slot), 2 * page);
	percpu_free(h);
}

int main(void)
{
	check_errors();
	check_pages();
	for (size_t size = 1; size <= 80; size++)
		check_size(size, 1);
	for (size_t size = 100; size < 6000; size += 1 + size / 3)
		check_size(size, 64);
	check_size(20000, 4096);
	CHECK(percpu_max_size() / 2 > 20000);
	return TEST_PASS;
}
