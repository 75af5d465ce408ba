/* SPDX-License-Identifier: MIT */
#include "words.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>

static char *print(const char *format, ...)
	__attribute__((format(printf, 1, 2)));

static char *print(const char *format, ...)
{
	va_list args;
	char *s;
	int n;

	va_start(args, format);
	n = vasprintf(&s, format, args);
	va_end(args);
	return n < 0 ? NULL : s;
}

char *words_ratio(const char *num, const char *den, const struct spread *s,
		  double control)
{
	double off = stats_off(s->median);

	if (!stats_differs(s, control))
		return print("%s and %s: no difference seen (%.1f %% apart)",
			     num, den, off * 100);
	if (off < 0.1)
		return print("%s takes %.1f %% %s than %s (%+.1f to %+.1f %%)",
			     num, off * 100,
			     s->median > 1 ? "longer" : "less time", den,
			     (s->p10 - 1) * 100, (s->p90 - 1) * 100);
	if (s->median > 1)
		return print("%s takes %.2f times as long as %s (%.2f to %.2f)",
			     num, s->median, den, s->p10, s->p90);
	return print("%s takes %.2f of the time of %s (%.2f to %.2f)", num,
		     s->median, den, s->p10, s->p90);
}

char *words_verdict(enum verdict v, const struct evidence *e,
		    const char *poorest)
{
	switch (v) {
	case VERDICT_TOO_FEW:
		return print("no verdict: other work runs on these CPUs (%zu "
			     "quiet slices of\n    \"%s\", %d are needed); "
			     "try again later, or others with taskset",
			     e->rounds, poorest, STATS_MIN_ROUNDS);
	case VERDICT_CONTROL:
		return print("no verdict: the control is off by %.2f %%, more "
			     "than %.0f %%",
			     e->control * 100, STATS_MAX_CONTROL * 100);
	case VERDICT_FLIPPED:
		return print("no verdict: the CPUs seem to have been moved, "
			     "%s each other (%.0f ns before, %.0f ns after)",
			     e->before < e->after ? "away from" : "towards",
			     e->before, e->after);
	default:
		return print("the control is off by %.1f %%", e->control * 100);
	}
}
