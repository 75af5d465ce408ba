// SPDX-License-Identifier: MIT
#ifndef TESTS_MODEL_LITMUS_WEAK_H
#define TESTS_MODEL_LITMUS_WEAK_H
//
// weak.h: a scene of a few threads, searched through in the orders in which
// they may take their turns, and for each load in the values that C++'s memory
// model lets it have, by Relacy. It lets no store come before a load that
// precedes it; nor does AArch64 where a branch between them goes by that load,
// as in all sections here.
//
// BOUND: how often a thread that could go on is held up, at most.
#include <relacy/relacy.hpp>

#include <iostream>
#include <stdio.h>

typedef rl::atomic<unsigned> word;

static int broken; /* the variant, 0 is the right one */

/* A plain access. */
static inline unsigned get(const word &w)
{
	return w.load(rl::mo_relaxed, $);
}

static inline void set(word &w, unsigned v)
{
	w.store(v, rl::mo_relaxed, $);
}

template <class Scene> bool holds(std::ostream *log, unsigned long *runs)
{
	rl::test_params how;
	bool held;

	how.search_type = rl::sched_bound;
	how.context_bound = BOUND;
	how.iteration_count = 1000000000;
	how.output_stream = log;
	how.progress_stream = log;
	held = rl::simulate<Scene>(how);
	*runs = (unsigned long)how.stop_iteration;
	return held;
}

/* Whether the right one holds, and each that is broken is found out. */
template <class Scene> int search(const char *const *names, size_t n)
{
	std::ostream nowhere(NULL);
	int wrong = 0;

	for (broken = 0; broken < (int)n; broken++) {
		unsigned long runs;
		bool held = holds<Scene>(&nowhere, &runs);

		printf("%s: %s, %lu runs\n", names[broken],
		       held ? "holds" : "found wrong", runs);
		if (held == (broken == 0))
			continue;
		wrong = 1;
		fflush(stdout);
		holds<Scene>(&std::cout, &runs);
	}
	return wrong;
}

#endif
