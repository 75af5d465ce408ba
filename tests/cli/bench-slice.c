/* SPDX-License-Identifier: MIT */
/* percpu bench: a slice counts only if nothing disturbed it. */
#include "bench/slice.h"
#include "check.h"

static const struct slice quiet = { 1000, 101000, 100000, 0 };

static bool pair(struct slice a, struct slice b)
{
	struct slice of[2] = { a, b };
	struct slice turned[2] = { b, a };
	bool result = slice_quiet(of, 2);

	CHECK_EQ(slice_quiet(turned, 2), result);
	return result;
}

static void alone(void)
{
	struct slice s = quiet;

	CHECK(slice_quiet(&s, 1));
	s.switches = 1;
	CHECK(!slice_quiet(&s, 1));
	s = quiet;
	s.cpu = 95100;
	CHECK(slice_quiet(&s, 1));
	s.cpu = 94900;
	CHECK(!slice_quiet(&s, 1));
	s.end = s.start;
	CHECK(!slice_quiet(&s, 1));
}

static void together(void)
{
	struct slice late = { 1000 + 19000, 101000 + 19000, 100000, 0 };
	struct slice too_late = { 1000 + 21000, 101000 + 21000, 100000, 0 };
	struct slice after = { 200000, 300000, 100000, 0 };
	struct slice brief = { 1000, 1000 + 79000, 79000, 0 };
	struct slice switched = quiet;

	switched.switches = 1;
	CHECK(pair(quiet, quiet));
	CHECK(pair(quiet, late));
	CHECK(!pair(quiet, too_late));
	CHECK(!pair(quiet, after));
	CHECK(!pair(quiet, brief));
	CHECK(!pair(quiet, switched));
}

int main(void)
{
	struct slice of[2] = { quiet, quiet };

	alone();
	together();
	of[1].end += 20000;
	CHECK(slice_ns(of, 1) == 100000);
	CHECK(slice_ns(of, 2) == 110000);
	return TEST_PASS;
}
