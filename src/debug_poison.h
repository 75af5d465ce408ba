/* SPDX-License-Identifier: MIT */
#ifndef PERCPU_SRC_DEBUG_POISON_H
#define PERCPU_SRC_DEBUG_POISON_H
/*
 * debug_poison.h: a pattern in freed memory. Regions are open, and of whole
 * cells of 8 bytes.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* As in Linux: no address, an odd number, large as a size or a count. */
#define PERCPU__DEBUG_POISON 0x6b

/*
 * Fill the room of @h in every slot; pages that no memory was spent on stay
 * as they are, zero.
 */
void percpu__debug_poison_fill(void *h, size_t room);

/* A byte that should not be as it is. */
struct percpu__debug_wrong {
	uint32_t slot;
	size_t offset;
};

/* Whether somebody wrote to a room since it was filled: the first such byte. */
bool percpu__debug_poison_written(void *h, size_t room,
				  struct percpu__debug_wrong *wrong);

/* Whether [size, room) of a slot is not zero: the first such byte. */
bool percpu__debug_poison_overrun(void *h, size_t size, size_t room,
				  struct percpu__debug_wrong *wrong);

#endif
