/* SPDX-License-Identifier: MIT */
#ifndef PERCPU_SRC_LAYOUT_H
#define PERCPU_SRC_LAYOUT_H
/*
 * layout.h: how far apart the units of a chunk are, and where chunks may begin.
 */
#include <stdint.h>

/*
 * Every chunk of @slots units begins at a multiple of so many bytes, a power of
 * two, so that an address in its guard tells where it begins. Large where slots
 * are few, so that few chunks do; 64 KiB where they are many, so that a chunk
 * of 256 units fits into a small limit on address space.
 */
uint64_t percpu__layout_align(uint32_t slots);

/*
 * The stride in bytes: a page less than that. It is an odd number of pages, so
 * that equal offsets in different units do not all fall into the same set of a
 * cache.
 */
uint64_t percpu__layout_stride(uint32_t slots);

#endif
