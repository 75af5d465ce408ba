/* SPDX-License-Identifier: MIT */
#include "samples.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Rounds at most, for each that is wanted quiet. */
#define PATIENCE 4

int samples_make(struct samples *s, const struct plan *p)
{
	size_t n;

	memset(s, 0, sizeof(*s));
	s->capacity = (size_t)p->rounds * PATIENCE;
	n = s->capacity * p->nr_variants;
	s->ns = malloc(n * sizeof(*s->ns));
	if (s->ns == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		s->ns[i] = NAN;
	return 0;
}

void samples_keep(struct samples *s, unsigned variant, double ns)
{
	s->tried[variant]++;
	if (!isnan(ns))
		s->kept[variant]++;
	s->ns[variant * s->capacity + s->rounds - 1] = ns;
}

size_t samples_fewest(const struct samples *s, unsigned n)
{
	size_t fewest = s->kept[0];

	for (unsigned v = 1; v < n; v++)
		if (s->kept[v] < fewest)
			fewest = s->kept[v];
	return fewest;
}

static uint64_t next_random(uint64_t *random)
{
	*random ^= *random << 13;
	*random ^= *random >> 7;
	*random ^= *random << 17;
	return *random;
}

void samples_shuffle(uint64_t *random, unsigned *of, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		of[i] = i;
	for (unsigned i = n - 1; i > 0; i--) {
		unsigned j = (unsigned)(next_random(random) % (i + 1));
		unsigned keep = of[i];

		of[i] = of[j];
		of[j] = keep;
	}
}

const double *samples_of(const struct samples *s, unsigned variant)
{
	return s->ns + variant * s->capacity;
}

void samples_free(struct samples *s)
{
	free(s->ns);
	s->ns = NULL;
}
