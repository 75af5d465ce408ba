/* SPDX-License-Identifier: MIT */
#ifndef PERCPU_SRC_IMAGE_H
#define PERCPU_SRC_IMAGE_H

#include <stddef.h>

/*
 * Copy the @size bytes at @image to every unit of @h, which are zero; pages
 * that stay zero are not written.
 */
void percpu__image_copy(void *h, const void *image, size_t size);

/* The same to the shared slot. */
void percpu__image_copy_shared(void *h, const void *image, size_t size);

#endif
