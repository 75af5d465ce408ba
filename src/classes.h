/* SPDX-License-Identifier: MIT */
#ifndef PERCPU_SRC_CLASSES_H
#define PERCPU_SRC_CLASSES_H
/*
 * classes.h: sizes. An object takes 4 bytes or a multiple of 8; up to
 * PERCPU__BIN_MAX each such size has a bin of its own, so nothing is rounded
 * further. Such an object lies at a multiple of the largest power of two that
 * divides its size, up to a line: then a bin serves every alignment that its
 * size shows, and no small power of two straddles two lines.
 */
#include "cache.h"
#include "cell.h"

#include <percpu/base.h>

/* The bytes that an object of @size takes; @size up to percpu_max_size(). */
static inline size_t percpu__classes_round(size_t size, size_t align)
{
	size_t unit = align > PERCPU__CELL ? align : PERCPU__CELL;

	if (size <= PERCPU__GRAIN && align <= PERCPU__GRAIN)
		return PERCPU__GRAIN;
	/* What asks for more than a line does so for its address. */
	if (unit > PERCPU_LINE)
		unit = PERCPU__CELL;
	return (size + unit - 1) & ~(unit - 1);
}

/* The bin of a size that is rounded so, and at most PERCPU__BIN_MAX. */
static inline unsigned percpu__classes_bin(size_t bytes)
{
	return (unsigned)(bytes / PERCPU__CELL);
}

static inline size_t percpu__classes_bytes(unsigned bin)
{
	return bin == 0 ? PERCPU__GRAIN : (size_t)bin * PERCPU__CELL;
}

/* Bytes that divide the place of an object of so many bytes with a bin. */
static inline size_t percpu__classes_align(size_t bytes)
{
	size_t power = bytes & -bytes;

	return power < PERCPU_LINE ? power : PERCPU_LINE;
}

#endif
