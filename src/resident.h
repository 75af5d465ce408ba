/* SPDX-License-Identifier: MIT */
#ifndef PERCPU_SRC_RESIDENT_H
#define PERCPU_SRC_RESIDENT_H
/*
 * resident.h: how much of some memory there really is.
 */
#include <stddef.h>

/*
 * The bytes, of @len from @p on, whole pages, that take memory or swap; @len
 * where the system does not tell.
 */
size_t percpu__resident_bytes(const void *p, size_t len);

#endif
