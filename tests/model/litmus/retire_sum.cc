// SPDX-License-Identifier: MIT
//
// retire_sum.cc: the slot of a gone CPU moves while somebody sums, in C++'s
// memory model; then the record of the move becomes that of another counter's.
// A sum, wherever the move stands, is the counter's. src/counter_retire.c
// numbers the argument (4), percpu__counter_retire_sum() is the sum.
//
// Broken on purpose, each of which must be found wrong:
//   PLAIN_LOADS   a sum's loads do not acquire
//   PLAIN_BEGIN   the count becomes odd by a store that does not release
//   PLAIN_MOVE    what moves is stored without release
//   PLAIN_END     the count becomes even so
//   PLAIN_RECORD  the next record is written so
//   NO_RECORD     a sum takes the slots as they are
//   NO_COUNT      and does not ask whether a slot moves
#include "weak.h"

enum variant {
	RIGHT,
	PLAIN_LOADS,
	PLAIN_BEGIN,
	PLAIN_MOVE,
	PLAIN_END,
	PLAIN_RECORD,
	NO_RECORD,
	NO_COUNT
};

static const char *const names[] = { "RIGHT",	    "PLAIN_LOADS",
				     "PLAIN_BEGIN", "PLAIN_MOVE",
				     "PLAIN_END",   "PLAIN_RECORD",
				     "NO_RECORD",   "NO_COUNT" };

struct retire_sum : rl::test_suite<retire_sum, 2> {
	word from_total, from_extra, to_total, to_extra;
	word moves, part, sum_of_from, extra_of_to;

	void before()
	{
		for (word *w : { &moves, &part, &sum_of_from, &extra_of_to })
			set(*w, 0);
		set(from_total, 1);
		set(from_extra, 2);
		set(to_total, 4);
		set(to_extra, 8);
	}

	void store(word &w, unsigned v, variant plain)
	{
		w.store(v,
			plain != RIGHT && broken == plain ? rl::mo_relaxed :
							    rl::mo_release,
			$);
	}

	unsigned load(const word &w)
	{
		return w.load(broken == PLAIN_LOADS ? rl::mo_relaxed :
						      rl::mo_acquire,
			      $);
	}

	void record(unsigned which, unsigned sum, unsigned extra, variant plain)
	{
		store(part, which, plain);
		store(sum_of_from, sum, plain);
		store(extra_of_to, extra, plain);
	}

	void move()
	{
		record(1, get(from_total) + get(from_extra), get(to_extra),
		       RIGHT);
		store(moves, 1, PLAIN_BEGIN);
		store(to_extra, get(to_extra) + get(sum_of_from), PLAIN_MOVE);
		store(from_extra, 0, PLAIN_MOVE);
		store(from_total, 0, PLAIN_MOVE);
		store(moves, 2, PLAIN_END);
		record(2, 16, 32, PLAIN_RECORD);
	}

	unsigned still()
	{
		return load(from_total) + load(from_extra) + load(to_total) +
		       load(to_extra);
	}

	unsigned moving()
	{
		if (load(part) != 1)
			return still();
		return load(sum_of_from) + load(to_total) + load(extra_of_to);
	}

	unsigned sum()
	{
		unsigned seen;
		unsigned all;

		do {
			seen = moves.load(rl::mo_acquire, $);
			all = (seen & 1) == 0 || broken == NO_RECORD ? still() :
								       moving();
		} while (broken != NO_COUNT &&
			 moves.load(rl::mo_relaxed, $) != seen);
		return all;
	}

	void thread(unsigned i)
	{
		if (i == 0)
			move();
		else
			RL_ASSERT(sum() == 15);
	}
};

int main()
{
	return search<retire_sum>(names, sizeof(names) / sizeof(*names));
}
