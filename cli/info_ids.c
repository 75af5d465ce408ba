/* SPDX-License-Identifier: MIT */
#include "info_ids.h"

#include "info_file.h"

#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

void ids_append(struct ids *s, unsigned first, unsigned last)
{
	struct ids_range *tail = s->ranges + s->count;

	s->known = true;
	if (s->count > 0 && tail[-1].last + 1 == first) {
		tail[-1].last = last;
		return;
	}
	s->ranges =
		info_realloc(s->ranges, (s->count + 1) * sizeof(*s->ranges));
	s->ranges[s->count++] = (struct ids_range){ first, last };
}

static bool number(const char **at, unsigned *n)
{
	char *end;
	unsigned long value;

	if (!isdigit((unsigned char)**at))
		return false;
	value = strtoul(*at, &end, 10);
	*at = end;
	*n = (unsigned)value;
	return value < INT_MAX;
}

static bool range(const char **at, struct ids_range *r)
{
	if (!number(at, &r->first))
		return false;
	r->last = r->first;
	if (**at == '-') {
		(*at)++;
		if (!number(at, &r->last))
			return false;
	}
	if (**at == ',')
		(*at)++;
	else if (**at != '\0')
		return false;
	return r->first <= r->last;
}

struct ids ids_parse(const char *list)
{
	struct ids s = { .known = list != NULL };
	struct ids_range r;

	while (s.known && *list != '\0') {
		if (!range(&list, &r) ||
		    (s.count > 0 && r.first <= s.ranges[s.count - 1].last))
			s.known = false;
		else
			ids_append(&s, r.first, r.last);
	}
	return s;
}

/* Append to @s what @r has outside of @b. */
static void append_without(struct ids *s, struct ids_range r,
			   const struct ids *b)
{
	for (size_t i = 0; i < b->count && r.first <= r.last; i++) {
		struct ids_range cut = b->ranges[i];

		if (cut.last < r.first)
			continue;
		if (cut.first > r.last)
			break;
		if (cut.first > r.first)
			ids_append(s, r.first, cut.first - 1);
		r.first = cut.last + 1;
	}
	if (r.first <= r.last)
		ids_append(s, r.first, r.last);
}

struct ids ids_without(const struct ids *a, const struct ids *b)
{
	struct ids s = { .known = a->known && b->known };

	for (size_t i = 0; s.known && i < a->count; i++)
		append_without(&s, a->ranges[i], b);
	return s;
}

unsigned long ids_total(const struct ids *s)
{
	unsigned long total = 0;

	for (size_t i = 0; i < s->count; i++)
		total += s->ranges[i].last - s->ranges[i].first + 1;
	return total;
}

char *ids_text(const struct ids *s)
{
	char *text;
	size_t size;
	FILE *f;

	if (!s->known)
		return NULL;
	f = info_memstream(&text, &size);
	if (s->count == 0)
		fputs("none", f);
	for (size_t i = 0; i < s->count; i++) {
		struct ids_range r = s->ranges[i];

		fprintf(f, "%s%u", i > 0 ? "," : "", r.first);
		if (r.last > r.first)
			fprintf(f, "-%u", r.last);
	}
	fclose(f);
	return text;
}
