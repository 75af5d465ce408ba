/* SPDX-License-Identifier: MIT */
/*
 * image.c: objects that start as an image.
 */
#include "image.h"

#include "os.h"

#include <percpu/alloc.h>
#include <percpu/base.h>

#include <errno.h>
#include <string.h>

static bool is_zero(const char *p, size_t len)
{
	return len == 0 || (*p == 0 && memcmp(p, p + 1, len - 1) == 0);
}

static void copy(char *to, const char *image, size_t size)
{
	size_t page = percpu__os_page_size();

	while (size > 0) {
		size_t n = page - ((uintptr_t)to & (page - 1));

		if (n > size)
			n = size;
		if (!is_zero(image, n))
			memcpy(to, image, n);
		to += n;
		image += n;
		size -= n;
	}
}

void percpu__image_copy(void *h, const void *image, size_t size)
{
	for (uint64_t i = 1; i <= percpu__rt.nr_slots; i++)
		copy((char *)h + i * percpu__rt.stride, image, size);
}

void percpu__image_copy_shared(void *h, const void *image, size_t size)
{
	copy((char *)h +
		     (percpu__rt.nr_slots + (uint64_t)1) * percpu__rt.stride,
	     image, size);
}

void *percpu_alloc_init(size_t size, size_t align, const void *image)
{
	void *h;

	if (image == NULL) {
		errno = EINVAL;
		return NULL;
	}
	h = percpu_alloc(size, align);
	if (h != NULL)
		percpu__image_copy(h, image, size);
	return h;
}
