/* SPDX-License-Identifier: MIT */
/*
 * guarded.c: an abort at any one instruction of a guarded add, inlined or in
 * the library, adds once, and to the object that is beside the word then; a
 * word that shuts it out, before or by the interruption, lets it add nothing.
 */
#include "guarded.h"
#include "check.h"
#include "inject.h"
#include "object.h"

#define MASK 5u
#define OPEN 0xfff2ull /* bits that are not of the mask */
#define START 1000u
#define ADDED 7u

static struct percpu__guarded guarded;
static uint64_t PERCPU *first;
static uint64_t PERCPU *second;
static bool inlined;
static bool done;
static unsigned long aborts;

static __attribute__((noinline)) void add(void PERCPU *field)
{
	(void)field;
	inlined = percpu__try_guarded_add(&guarded, MASK, ADDED);
	done = inlined ||
	       percpu__guarded_add(&guarded, MASK, ADDED) == PERCPU__COMMITTED;
}

static const struct operation adds = { "guarded add", add, 8, 0, 0 };

static void reset(uint64_t word)
{
	uint64_t *slot;

	percpu_for_each_slot (slot, first)
		*slot = START;
	percpu_for_each_slot (slot, second)
		*slot = START;
	guarded = (struct percpu__guarded){ word, first };
}

/* How much was added to @h; only this thread's slot may have changed. */
static uint64_t added(uint64_t PERCPU *h)
{
	uint64_t *slot;
	uint64_t sum = 0;

	percpu_for_each_slot (slot, h) {
		if (*slot != START && slot != percpu_this_ptr(h))
			FAIL("%#lx was added to another slot",
			     (unsigned long)(*slot - START));
		sum += *slot - START;
	}
	return sum;
}

static void shut(void)
{
	guarded.word |= MASK & ~1u;
}

static void replace(void)
{
	guarded.handle = second;
}

/* Run with breakpoints at the start of earlier sections, and at @at. */
static bool interrupt(const struct section *const *chain, size_t n,
		      uintptr_t at, uint64_t word, void (*hook)(void))
{
	struct point p[CHAIN_MAX] = { 0 };
	bool before = at < section_end(chain[n]);
	uint64_t sum;

	inject_along(p, chain, n, at);
	reset(word);
	inject_run(&adds, NULL, p, n + 1, hook);
	/* It looks at rseq_cs, and at an object of its own. */
	CHECK_EQ(object_outcome(8).changed, 0);
	sum = added(first) + added(second);
	CHECK_EQ(sum, done ? ADDED : 0);
	if ((word & MASK) != 0)
		CHECK(!done);
	if (p[n].hits != 0 && before && hook == shut)
		CHECK(!done);
	if (p[n].hits != 0 && before && hook == replace)
		CHECK_EQ(added(first), 0);
	aborts += p[n].aborted;
	return inject_hit(&adds, &p[n], true);
}

/* A time slice may end in the section and spare the breakpoint: try again. */
static bool reached(const struct section *const *chain, size_t n, uintptr_t at,
		    uint64_t word, void (*hook)(void))
{
	for (int i = 0; i < 20; i++)
		if (interrupt(chain, n, at, word, hook))
			return true;
	return false;
}

static void interrupt_section(const struct section *const *chain, size_t n,
			      bool commits)
{
	uintptr_t at[INSTRUCTIONS_MAX];
	size_t count = inject_instructions(chain[n], at);

	for (size_t i = 0; i < count; i++) {
		bool hit = reached(chain, n, at[i], OPEN, NULL);

		if (commits && !hit && section_has(chain[n], at[i]))
			FAIL("instruction at %+ld is never reached",
			     (long)(at[i] - chain[n]->start));
		interrupt(chain, n, at[i], OPEN, shut);
		interrupt(chain, n, at[i], OPEN, replace);
		interrupt(chain, n, at[i], OPEN | 1, NULL);
		interrupt(chain, n, at[i], OPEN | 4, replace);
	}
}

int main(void)
{
	const struct section *chain[CHAIN_MAX];
	struct mode mode;
	size_t length;

	inject_start();
	mode = object_start();
	object_fill();
	first = percpu_new(uint64_t);
	second = percpu_new(uint64_t);
	CHECK(first != NULL && second != NULL);
	reset(OPEN);
	add(NULL);
	CHECK_EQ(inlined, mode.inlined);
	CHECK_EQ(done, mode.twins);
	reset(OPEN);
	length = inject_chain(&adds, NULL, chain);
	CHECK(length == 1 || length == 2);
	for (size_t n = 0; n < length; n++)
		interrupt_section(chain, n,
				  n + 1 == length ? mode.twins : mode.inlined);
	printf("%lu aborts\n", aborts);
	CHECK((aborts != 0) == mode.registered);
	return TEST_PASS;
}
