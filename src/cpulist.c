/* SPDX-License-Identifier: MIT */
#include "cpulist.h"

#include <stddef.h>

/* More than any kernel has; a larger id is taken for damage. */
#define ID_MAX 1000000ul

/* Parse a number at *@s into *@n and step over it. */
static bool number(const char **s, unsigned long *n)
{
	const char *at = *s;

	for (*n = 0; *at >= '0' && *at <= '9'; at++) {
		*n = *n * 10 + (unsigned long)(*at - '0');
		if (*n > ID_MAX)
			return false;
	}
	if (at == *s)
		return false;
	*s = at;
	return true;
}

/* Parse one "a" or "a-b" at *@s, and the comma after it. */
static bool range(const char **s, unsigned long *first, unsigned long *last)
{
	if (!number(s, first))
		return false;
	*last = *first;
	if (**s == '-') {
		(*s)++;
		if (!number(s, last) || *last < *first)
			return false;
	}
	if (**s == ',')
		(*s)++;
	else if (**s != '\0' && **s != '\n')
		return false;
	return true;
}

static bool at_end(const char *s)
{
	return *s == '\0' || *s == '\n';
}

long percpu__cpulist_max(const char *list)
{
	unsigned long first;
	unsigned long last;
	long max = -1;

	while (!at_end(list)) {
		if (!range(&list, &first, &last))
			return -1;
		if ((long)last > max)
			max = (long)last;
	}
	return max;
}

unsigned long percpu__cpulist_count(const char *list)
{
	unsigned long first;
	unsigned long last;
	unsigned long count = 0;

	while (!at_end(list)) {
		if (!range(&list, &first, &last))
			return 0;
		count += last - first + 1;
	}
	return count;
}

bool percpu__cpulist_has(const char *list, unsigned id)
{
	unsigned long first;
	unsigned long last;
	bool found = false;

	while (!at_end(list)) {
		if (!range(&list, &first, &last))
			return false;
		found = found || (id >= first && id <= last);
	}
	return found;
}

#define LONG_BITS (8 * sizeof(unsigned long))

void percpu__cpulist_mark(const char *list, unsigned long *bits, size_t ids)
{
	unsigned long first;
	unsigned long last;

	if (percpu__cpulist_max(list) < 0)
		return;
	while (!at_end(list)) {
		range(&list, &first, &last);
		for (unsigned long id = first; id <= last && id < ids; id++)
			bits[id / LONG_BITS] |= 1ul << id % LONG_BITS;
	}
}
