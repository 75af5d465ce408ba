/* SPDX-License-Identifier: MIT */
/*
 * ref_heat.c: whether an adaptive reference that is atomic is contended.
 *
 * The word has the CPU that changed it last. Each change from another CPU,
 * which has fetched the line, adds 64 degrees of heat, and any other takes one
 * away, in the compare-and-swap that is made anyway: a line that travels costs
 * about as much as that many changes of one that does not. Eight such in a row
 * are full heat, which, within a few milliseconds of the first degree, makes
 * the next taker promote; who puts does not, since it has no reference then. A
 * clock is read at the first and at the last degree alone. Rejected: counting
 * compare-and-swaps that fail. Between two CPUs of a Zen 5 of which each waited
 * for the line most of the time, none of ten million did.
 */
#include "ref.h"

#include "os.h"
#include "slot.h"

#define WARMTH 64u   /* degrees, of a change from another CPU */
#define HOT_TICKS 2u /* from the first degree to the last, at most */

static uint64_t ticks(void)
{
	return percpu__os_ticks() * PERCPU__REF_TICK & PERCPU__REF_SINCE;
}

static uint64_t this_cpu(void)
{
	const struct percpu__area *area = percpu__area();
	uint32_t cpu = area != NULL ? (uint32_t)percpu__area_cpu(area) : 0;

	return (uint64_t)cpu * PERCPU__REF_CPU & PERCPU__REF_LAST;
}

uint64_t percpu__ref_heat_warm(uint64_t word)
{
	uint64_t heat = word & PERCPU__REF_HEAT;
	uint64_t cpu = this_cpu();

	if ((word & PERCPU__REF_LAST) == cpu)
		return word - (heat != 0 ? PERCPU__REF_WARMTH : 0);
	if (heat == 0)
		word = (word & ~(uint64_t)PERCPU__REF_SINCE) | ticks();
	heat += WARMTH * PERCPU__REF_WARMTH;
	if (heat > PERCPU__REF_HEAT)
		heat = PERCPU__REF_HEAT;
	return (word & ~(uint64_t)(PERCPU__REF_HEAT | PERCPU__REF_LAST)) |
	       heat | cpu;
}

void percpu__ref_heat_hot(struct percpu_ref *r, uint64_t word)
{
	uint64_t since = word & PERCPU__REF_SINCE;
	uint64_t took = (ticks() - since) & PERCPU__REF_SINCE;

	/* Either way the heat begins anew. */
	while (percpu__ref_heat_feels(word) &&
	       !percpu__ref_change(r, &word,
				   word & ~(uint64_t)PERCPU__REF_HEAT))
		;
	if (took / PERCPU__REF_TICK <= HOT_TICKS)
		percpu__ref_adapt_promote(r);
}
