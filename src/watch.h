/* SPDX-License-Identifier: MIT */
#ifndef PERCPU_SRC_WATCH_H
#define PERCPU_SRC_WATCH_H
/*
 * watch.h: allocation while somebody looks for mistakes of the program.
 */
#include "book.h"

/* As percpu_alloc(), of what can be had; @by: who asks. */
void *percpu__watch_alloc(size_t size, size_t align, const void *by);

/* The program freed the object of @item, held since @seen, of @room bytes. */
void percpu__watch_free(uint64_t item, size_t room, uint32_t seen,
			const void *by);

/* Free what the quarantine holds. */
void percpu__watch_flush(void);

#endif
