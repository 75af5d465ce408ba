/* SPDX-License-Identifier: MIT */
/* percpu bench: medians, spreads, ratios by round, and verdicts. */
#include "bench/stats.h"
#include "check.h"

#include <math.h>

static bool near(double a, double b)
{
	return fabs(a - b) < 1e-9;
}

static void spread(void)
{
	const double values[] = { 5, NAN, 1, 4, 2, NAN, 3 };
	const double ten[] = { 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0 };
	struct spread s = stats_spread(values, 7);

	CHECK_EQ(s.n, 5);
	CHECK(near(s.median, 3));
	s = stats_spread(ten, 11);
	CHECK(near(s.p10, 1) && near(s.median, 5) && near(s.p90, 9));
	s = stats_spread(ten, 2);
	CHECK(near(s.median, 9.5));
}

static void nothing_to_tell_from(void)
{
	const double nan = NAN;
	struct spread s = stats_spread(&nan, 1);

	CHECK_EQ(s.n, 0);
	CHECK(isnan(s.median) && isnan(s.p10) && isnan(s.p90));
	CHECK(isnan(stats_ratio(&nan, &nan, 1).median));
}

/* The machine slows down tenfold half-way: each round's ratio is still 2. */
static void ratio_by_round(void)
{
	const double num[] = { 2, 2, 2, 20, 20, 20, NAN, 4 };
	const double den[] = { 1, 1, 1, 10, 10, 10, 1, NAN };
	struct spread s = stats_ratio(num, den, 8);

	CHECK_EQ(s.n, 6);
	CHECK(near(s.p10, 2) && near(s.median, 2) && near(s.p90, 2));
}

static void distance(void)
{
	CHECK(near(stats_off(1), 0));
	CHECK(near(stats_off(2), 1));
	CHECK(near(stats_off(0.5), 1));
	CHECK(isnan(stats_off(NAN)));
}

static void difference(void)
{
	struct spread s = { 1.04, 1.03, 1.05, 400 };

	CHECK(stats_differs(&s, 0.02));
	CHECK(!stats_differs(&s, 0.05)); /* the control differs as much */
	s.median = 1.009;
	CHECK(!stats_differs(&s, 0)); /* less than 1 % */
	s = (struct spread){ 1.04, 0.4, 1.6, 100 };
	CHECK(!stats_differs(&s, 0)); /* chance */
	s.n = 10000;
	CHECK(stats_differs(&s, 0));
}

static void verdicts(void)
{
	const struct evidence good = { 100, 0.01, 60, 61, 2 };
	struct evidence e = good;

	CHECK_EQ(stats_judge(&e), VERDICT_MEASURED);
	e.rounds = STATS_MIN_ROUNDS - 1;
	CHECK_EQ(stats_judge(&e), VERDICT_TOO_FEW);
	e = good;
	e.control = 0.06;
	CHECK_EQ(stats_judge(&e), VERDICT_CONTROL);
	e.control = NAN;
	CHECK_EQ(stats_judge(&e), VERDICT_CONTROL);
	e = good;
	e.after = 320;
	CHECK_EQ(stats_judge(&e), VERDICT_FLIPPED);
	e.before = 320;
	e.after = 60;
	CHECK_EQ(stats_judge(&e), VERDICT_FLIPPED);
	e.threads = 1;
	CHECK_EQ(stats_judge(&e), VERDICT_MEASURED);
	e = good;
	e.before = NAN;
	CHECK_EQ(stats_judge(&e), VERDICT_MEASURED);
}

int main(void)
{
	spread();
	nothing_to_tell_from();
	ratio_by_round();
	distance();
	difference();
	verdicts();
	return TEST_PASS;
}
