/* SPDX-License-Identifier: MIT */
/*
 * image.c: objects that start as an image.
 */
#include "os.h"

#include <percpu/alloc.h>
#include <percpu/base.h>

#include <errno.h>
#include <string.h>

static bool is_zero(const char *p, size_t len)
{
	return len == 0 || (*p == 0 && memcmp(p, p + 1, len - 1) == 0);
}

/* Copy to an object that is zero; pages that stay zero are not written. */
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

void *percpu_alloc_init(size_t size, size_t align, const void *image)
{
	char *h;

	if (image == NULL) {
		errno = EINVAL;
		return NULL;
	}
	h = percpu_alloc(size, align);
	for (uint64_t i = 1; h != NULL && i <= percpu__rt.nr_slots; i++)
		copy(h + i * percpu__rt.stride, image, size);
	return h;
}
