/* SPDX-License-Identifier: MIT */
/*
 * ref_retire.c: the slots of references on pages of a CPU that is gone.
 * retire.c has the order in which this is called, DESIGN.md, section 21, the
 * argument.
 *
 *              word                                  slots
 *   in use     bias + direct                         count
 *   marked     the same, ATOMIC FOLDING              count, and nobody adds
 *   moved      and all slots, PROMOTING beside that  count for nothing
 *   open       in use again, with what came          0
 *
 * All of it is under the lock of ref_adapt.c, from the first mark in a chunk
 * until the last word is open: under that lock an owner is there, and who kills
 * or ends a reference waits with its fold, or its end.
 *
 * 1. The bias stays in the word all the while: nobody releases, and this never
 *    does. What was killed meanwhile keeps FOLDING: the killer takes both away.
 * 2. Only what counts per CPU is marked, by a change of the word: so no
 *    promotion, switch or kill is under way, and the next finds the mark.
 * 3. Who switches to atomic meanwhile sets STICKY, and waits for FOLDING to go;
 *    the word counts per CPU then, and it begins again (ref_switch.c).
 * 4. A child of fork finds which it is by PROMOTING: whether slots count. Who
 *    first works on the reference ends it as atomic (ref_fork.c). A refresh
 *    there marks, and looks at, none that the child has from its parent and has
 *    not let count anew: its memory may be gone (ref_owner.c). Where a handler
 *    has forked on top of this, it goes on in the child: all memory is there
 *    meanwhile, since no other thread is.
 *
 * 5. A handle that has agreed and has no owner is idle: it is that of an atomic
 *    reference, killed to be used again or by its owner's will. Its slots count
 *    for nothing, and it is not entered again without the lock: nothing needs a
 *    mark. (A bias, set by somebody without a reference, would hide the last
 *    put.)
 *
 * An adaptive one's handle keeps its page: a handler may take it from a reserve
 * at any moment.
 *
 * Rejected: to fold as a switch to atomic does, and then to promote: in between
 * the last put may release the reference under us. One slot alone into the
 * word: that would need another mark for which, and pages go for many CPUs at
 * once. A record as counters have: the word is one already.
 */
#include "ref.h"

#include "bits.h"
#include "chunk.h"
#include "retire.h"

#include <percpu/alloc.h>

#include <string.h>

/* Those that are marked, by their cells in the chunk at hand. */
static uint64_t ours[PERCPU__CELLS_MAX / PERCPU__WORD_BITS];
static char *base; /* of that */

static uint32_t cell_of(const void *h)
{
	return (uint32_t)(percpu__chunk_offset(h) / PERCPU__CELL);
}

/* The next handle of ours after *@at cells, which goes on; NULL at the end. */
static void PERCPU *next(uint32_t *at)
{
	uint32_t i = percpu__bits_find(ours, true, *at, PERCPU__CELLS_MAX);

	*at = i + 1;
	return i < PERCPU__CELLS_MAX ? base + (size_t)i * PERCPU__CELL : NULL;
}

static void start(void)
{
	percpu__ref_adapt_lock();
	memset(ours, 0, sizeof(ours));
}

/* Whether @word counts in slots, and nobody is at work on it. */
static bool is_open(uint64_t word)
{
	return percpu__ref_is_percpu(word) && (word & PERCPU__REF_DEAD) == 0;
}

/* Whether @r, which counts in @h, is marked now. */
static bool shut(struct percpu_ref *r, const void PERCPU *h)
{
	uint64_t word = percpu__ref_load(r);

	do {
		if (!is_open(word) || (word & PERCPU__REF_HANDLE) == 0 ||
		    r->guarded.handle != h)
			return false;
	} while (!percpu__ref_change(
		r, &word,
		percpu__ref_own((word & ~(uint64_t)PERCPU__REF_ASKED) |
				PERCPU__REF_ATOMIC | PERCPU__REF_FOLDING)));
	return true;
}

static bool is_ours(const void *h)
{
	return percpu__bits_test(ours, cell_of(h));
}

/* Or idle. */
static bool marked(void *h, uint32_t slot)
{
	(void)slot;
	return percpu__ref_owner(h) == NULL || is_ours(h);
}

static bool mark(void *h, uint32_t slot)
{
	struct percpu_ref *r = percpu__ref_owner(h);

	(void)slot;
	if (r == NULL || is_ours(h))
		return true;
	if (!percpu__ref_owner_is_known(h) || !shut(r, h))
		return false;
	base = percpu__chunk_base(h);
	percpu__bits_mark(ours, cell_of(h), 1, true);
	return true;
}

/* All slots of one at once, for whichever pages go. */
static bool move(void *h, uint32_t slot)
{
	struct percpu_ref *r = percpu__ref_owner(h);
	uint64_t word;
	uint64_t sum;

	(void)slot;
	if (r == NULL)
		return true;
	word = percpu__ref_load(r);
	if ((word & PERCPU__REF_PROMOTING) != 0)
		return true;
	sum = percpu__ref_slots(h) * PERCPU__REF_ONE;
	do {
		if ((word & PERCPU__REF_DEAD) != 0)
			return false;
	} while (!percpu__ref_change(r, &word,
				     (word + sum) | PERCPU__REF_PROMOTING));
	percpu__ref_percpu_clean(h);
	return true;
}

/* Its killer folds what was killed; the slots are zero then, or count still. */
static void open_again(struct percpu_ref *r)
{
	uint64_t word = percpu__ref_load(r);
	uint64_t marks;

	do {
		marks = PERCPU__REF_PROMOTING;
		if ((word & PERCPU__REF_DEAD) == 0)
			marks |= PERCPU__REF_FOLDING | PERCPU__REF_ATOMIC;
	} while (
		!percpu__ref_change(r, &word, percpu__ref_rest(word & ~marks)));
}

static void end(void)
{
	void PERCPU *h;
	uint32_t at = 0;

	while ((h = next(&at)) != NULL)
		open_again(percpu__ref_owner(h));
	memset(ours, 0, sizeof(ours));
	percpu__ref_adapt_unlock();
}

/* Without an owner here there is no room for one, and it is not idle. */
void percpu__ref_retire_agree(void PERCPU *h)
{
	static const struct percpu__retire_kind kind = {
		.bytes = sizeof(uint64_t),
		.mark_at = PERCPU__RETIRE_ELSEWHERE,
		.start = start,
		.end = end,
		.mark = mark,
		.marked = marked,
		.move = move,
	};

	if (percpu__ref_owner(h) != NULL)
		percpu__retire_agree(h, PERCPU__RETIRE_REF, &kind);
}

void percpu__ref_retire_free(void PERCPU *h)
{
	if (h != NULL)
		percpu__retire_disagree(h);
	percpu_free(h);
}
