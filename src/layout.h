/* SPDX-License-Identifier: MIT */
#ifndef PERCPU_SRC_LAYOUT_H
#define PERCPU_SRC_LAYOUT_H
/*
 * layout.h: how far apart the units of a chunk are.
 */
#include <stdint.h>

/*
 * The stride in bytes for chunks of @slots units: an odd number of pages, more
 * than one, so that equal offsets in different units do not all fall into the
 * same set of a cache; large where slots are few, so that few chunks do, and
 * 64 KiB and a page where they are many, so that a chunk of 256 units fits
 * into a small limit on address space.
 */
uint64_t percpu__layout_stride(uint32_t slots);

#endif
