/* SPDX-License-Identifier: MIT */
#include "lines.h"

#include <stdlib.h>
#include <string.h>

#define WORDS (LINES_CPUS / 64)

struct line {
	uintptr_t number; /* plus 1; 0 in a free place */
	uint64_t held[WORDS];
	bool written; /* ever */
};

/* Open addressing; a power of two of places, at most half of them taken. */
static struct line *table;
static size_t places;
static size_t taken;

static size_t place_of(uintptr_t number)
{
	uint64_t hash = number * 0x9e3779b97f4a7c15ull;
	size_t at = (size_t)(hash >> 20) & (places - 1);

	while (table[at].number != 0 && table[at].number != number)
		at = (at + 1) & (places - 1);
	return at;
}

static void grow(void)
{
	struct line *old = table;
	size_t n = places;

	places = n == 0 ? 1 << 12 : 2 * n;
	table = calloc(places, sizeof(*table));
	if (table == NULL)
		abort();
	for (size_t i = 0; i < n; i++)
		if (old[i].number != 0)
			table[place_of(old[i].number)] = old[i];
	free(old);
}

static struct line *line_of(uintptr_t address)
{
	uintptr_t number = address / LINES_BYTES + 1;
	struct line *line;

	if (2 * taken >= places)
		grow();
	line = &table[place_of(number)];
	taken += line->number == 0;
	line->number = number;
	return line;
}

static bool holds(const struct line *line, unsigned cpu)
{
	return (line->held[cpu / 64] >> cpu % 64 & 1) != 0;
}

static void hold(struct line *line, unsigned cpu)
{
	line->held[cpu / 64] |= 1ull << cpu % 64;
}

bool lines_read(unsigned cpu, uintptr_t address)
{
	struct line *line = line_of(address);

	if (holds(line, cpu))
		return false;
	hold(line, cpu);
	return line->written;
}

bool lines_write(unsigned cpu, uintptr_t address)
{
	struct line *line = line_of(address);
	uint64_t others = 0;

	line->held[cpu / 64] &= ~(1ull << cpu % 64);
	for (unsigned i = 0; i < WORDS; i++)
		others |= line->held[i];
	memset(line->held, 0, sizeof(line->held));
	hold(line, cpu);
	line->written = true;
	return others != 0;
}
