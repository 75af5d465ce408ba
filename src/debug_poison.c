/* SPDX-License-Identifier: MIT */
/*
 * debug_poison.c: which bytes are filled, and what is found of them later.
 *
 * A room is seen as parts, one for each page that it lies in:
 *
 *   slot 0   | part |      part      | part, red zone |
 *   slot 1   | part |      part      | part, red zone |
 *
 * A part whose page is resident is filled. The others read as zero, from the
 * kernel's one page of zeros, and stay so. Later nobody knows which were
 * filled: by then a neighbour may have made the page resident. So a part is
 * right if all of it is the pattern or all of it is zero, red zone included:
 * a late write is seen whatever it writes, unless it clears a whole page's part
 * of an object that crosses pages. To note which parts were filled would cost
 * a bit per slot and page of every object.
 *
 * Where the kernel does not tell what is resident, parts that are zero are
 * taken to be absent.
 */
#include "debug_poison.h"

#include "os.h"

#include <percpu/base.h>

#define PATTERN (0x0101010101010101u * PERCPU__DEBUG_POISON)

struct part {
	uint32_t slot;
	char *object; /* in this slot */
	size_t start; /* in the object */
	size_t end;
};

static bool next_part(struct part *part, void *h, size_t room)
{
	size_t page = percpu__os_page_size();
	uintptr_t left;

	if (part->object == NULL || part->end == room) {
		part->slot = part->object == NULL ? 0 : part->slot + 1;
		if (part->slot > percpu__rt.nr_slots)
			return false;
		part->object = (char *)h +
			       ((uint64_t)part->slot + 1) * percpu__rt.stride;
		part->end = 0;
	}
	part->start = part->end;
	left = page - ((uintptr_t)(part->object + part->start) & (page - 1));
	part->end = room - part->start > left ? part->start + left : room;
	return true;
}

/* Another thread may yet write here, by mistake. */
static volatile uint64_t *word(char *object, size_t offset)
{
	return (volatile uint64_t *)(void *)(object + offset);
}

/* The first byte of [start, end) that is not @pattern's; @end if none. */
static size_t differs(char *object, size_t start, size_t end, uint64_t pattern)
{
	for (; start < end; start += sizeof(uint64_t)) {
		uint64_t bytes = *word(object, start);
		const char *is = (const char *)&bytes;
		const char *want = (const char *)&pattern;

		for (size_t i = 0; bytes != pattern && i < sizeof(bytes); i++)
			if (is[i] != want[i])
				return start + i;
	}
	return end;
}

static bool resident(const struct part *part)
{
	char *at = part->object + part->start;
	uintptr_t in_page = (uintptr_t)at & (percpu__os_page_size() - 1);
	uint64_t bits = 0;

	if (percpu__os_resident(at - in_page, 1, &bits) == 0)
		return (bits & 1) != 0;
	return differs(part->object, part->start, part->end, 0) != part->end;
}

void percpu__debug_poison_fill(void *h, size_t room)
{
	struct part part = { 0 };

	while (next_part(&part, h, room)) {
		if (!resident(&part))
			continue;
		for (size_t i = part.start; i < part.end; i += sizeof(uint64_t))
			*word(part.object, i) = PATTERN;
	}
}

/*
 * The first byte that is written late; part->end if none. What the part ends
 * with, the red zone as a rule, tells whether it was filled.
 */
static size_t first_written(const struct part *part)
{
	uint64_t last = *word(part->object, part->end - sizeof(last));
	size_t filled;
	size_t zero;

	if (last == PATTERN || last == 0)
		return differs(part->object, part->start, part->end, last);
	filled = differs(part->object, part->start, part->end, PATTERN);
	zero = differs(part->object, part->start, part->end, 0);
	return filled > zero ? filled : zero;
}

bool percpu__debug_poison_written(void *h, size_t room,
				  struct percpu__debug_wrong *wrong)
{
	struct part part = { 0 };

	while (next_part(&part, h, room)) {
		size_t at = first_written(&part);

		if (at == part.end)
			continue;
		wrong->slot = part.slot;
		wrong->offset = at;
		return true;
	}
	return false;
}

static size_t first_not_zero(char *object, size_t start, size_t end)
{
	while (start < end && ((volatile char *)object)[start] == 0)
		start++;
	return start;
}

bool percpu__debug_poison_overrun(void *h, size_t size, size_t room,
				  struct percpu__debug_wrong *wrong)
{
	for (uint32_t i = 0; i <= percpu__rt.nr_slots; i++) {
		char *object =
			(char *)h + ((uint64_t)i + 1) * percpu__rt.stride;
		size_t at = first_not_zero(object, size, room);

		if (at == room)
			continue;
		wrong->slot = i;
		wrong->offset = at;
		return true;
	}
	return false;
}
