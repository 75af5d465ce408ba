// SPDX-License-Identifier: MIT
#ifndef TESTS_MODEL_LITMUS_GONE_H
#define TESTS_MODEL_LITMUS_GONE_H
//
// gone.h: the slot of a gone CPU, to which one thread adds 1 while another takes
// 1 off, and which a third retires: the words, and what must hold at the end. A
// scene brings add(v) and retire().
#include "weak.h"

static const unsigned FLIP = 0x10001, REACH = 1;

static bool within(unsigned distance, unsigned reach)
{
	return distance + reach <= 2 * reach;
}

template <class Scene> struct gone : rl::test_suite<Scene, 3> {
	word total, told, extra;
	word to_extra, direct, carried;

	void before()
	{
		for (word *w :
		     { &total, &told, &extra, &to_extra, &direct, &carried })
			set(*w, 0);
		/* As after an add: not told yet. */
		set(total, 1);
	}

	void thread(unsigned i)
	{
		Scene *scene = static_cast<Scene *>(this);

		if (i == 2)
			scene->retire();
		else
			scene->add(i == 0 ? 1 : -1u);
	}

	/* All is told but for less than a batch. */
	void after()
	{
		unsigned sum =
			get(total) + get(extra) + get(to_extra) + get(direct);

		RL_ASSERT(sum == 1);
		RL_ASSERT(within(sum - get(direct) - get(carried), REACH));
	}
};

#endif
