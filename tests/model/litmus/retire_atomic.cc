// SPDX-License-Identifier: MIT
//
// retire_atomic.cc: as retire_claim.cc where there are no sections: who adds has
// a slot to himself by a compare-and-swap of told, which fails on a mark. So
// nothing is fenced (src/retire.c, 5).
//
// Broken on purpose, each of which must be found wrong:
//   PLAIN_CLAIM  a claim does not acquire
//   PLAIN_TELL   it is given up without release
//   PLAIN_MARK   a mark does not acquire, nor do the loads after it
//   PLAIN_MOVE   the slot's zeros are stored without release
//   NO_MARK      what is moved is not marked
#include "gone.h"

enum variant {
	RIGHT,
	PLAIN_CLAIM,
	PLAIN_TELL,
	PLAIN_MARK,
	PLAIN_MOVE,
	NO_MARK
};

static const char *const names[] = { "RIGHT",	   "PLAIN_CLAIM", "PLAIN_TELL",
				     "PLAIN_MARK", "PLAIN_MOVE",  "NO_MARK" };

static rl::memory_order unless(variant plain, rl::memory_order order)
{
	return broken == plain ? rl::mo_relaxed : order;
}

struct retire_atomic : gone<retire_atomic> {
	bool claim(unsigned *was)
	{
		*was = get(told) & ~1u;
		return told.compare_exchange_strong(
			*was, *was + 1, unless(PLAIN_CLAIM, rl::mo_acquire), $);
	}

	void tell(unsigned was, unsigned v)
	{
		unsigned now = 2 * get(total);

		carried.fetch_add((unsigned)((int)(now - was) / 2) + v,
				  rl::mo_relaxed, $);
		extra.store(get(extra) + v, rl::mo_release, $);
		told.store(now, unless(PLAIN_TELL, rl::mo_release), $);
	}

	void add(unsigned v)
	{
		unsigned was;
		unsigned n;

		if (!claim(&was)) {
			direct.fetch_add(v, rl::mo_relaxed, $);
			return;
		}
		n = get(total) + v;
		if (within(2 * n - was, 2 * REACH)) {
			set(total, n);
			told.store(was, unless(PLAIN_TELL, rl::mo_release), $);
		} else {
			tell(was, v);
		}
	}

	bool mark(unsigned *was)
	{
		*was = get(told);
		if (broken == NO_MARK)
			return true;
		return (*was & 1) == 0 &&
		       told.compare_exchange_strong(
			       *was, *was ^ FLIP,
			       unless(PLAIN_MARK, rl::mo_acq_rel), $);
	}

	void retire()
	{
		rl::memory_order order = unless(PLAIN_MARK, rl::mo_acquire);
		rl::memory_order zeros = unless(PLAIN_MOVE, rl::mo_release);
		unsigned was;
		unsigned sum;

		if (!mark(&was))
			return;
		sum = total.load(order, $);
		carried.fetch_add(sum - was / 2, rl::mo_acq_rel, $);
		sum += extra.load(order, $);
		to_extra.store(sum, rl::mo_release, $);
		extra.store(0, zeros, $);
		total.store(0, zeros, $);
		told.store(FLIP, zeros, $);
		told.store(0, zeros, $);
	}
};

int main()
{
	return search<retire_atomic>(names, sizeof(names) / sizeof(*names));
}
