/* SPDX-License-Identifier: MIT */
/*
 * A CPU that comes back at any step by which its memory is given back counts
 * on, whatever it adds; what is allocated then is not given back; a slot that
 * somebody has claimed meanwhile, or that cannot be moved, stays for the next
 * time; so do marks where a fence is refused in the middle.
 */
#include "steps.h"

enum { OBJECTS = 6000, WIDE = 40 };

static enum retire_step acts_at;
static bool claims;
static uint64_t PERCPU *h[OBJECTS];

/* As large as can be, and not. */
static const int64_t wide[] = { INT64_MIN / 2, INT64_MIN / 2 + 1,
				INT64_MAX / 2, INT64_MAX / 2 - 1,
				INT64_MIN / 4, INT64_MAX / 4,
				INT64_MIN,     INT64_MAX };

static void add_wide(unsigned i)
{
	for (unsigned n = 0; n < sizeof(wide) / sizeof(wide[0]); n++)
		for (int64_t d = -WIDE; d <= WIDE; d += 8)
			retire_add(i,
				   (int64_t)((uint64_t)wide[n] + (uint64_t)d));
}

static void allocate(void)
{
	for (unsigned i = 0; i < OBJECTS; i++) {
		h[i] = percpu_new(uint64_t);
		CHECK(h[i] != NULL);
		*percpu_ptr(h[i], retire_left) = 7;
	}
}

static void free_all(void)
{
	for (unsigned i = 0; i < OBJECTS && h[i] != NULL; i++) {
		CHECK_EQ(percpu_sum(h[i]), 7);
		percpu_free(h[i]);
		h[i] = NULL;
	}
}

/* As if a section had come to its end. */
static void claim(unsigned i)
{
	struct percpu__counter_slot *s = retire_slot(i, retire_left);

	s->told = 2 * s->total + 1;
}

static void retire_hook(enum retire_step step)
{
	if (step != acts_at)
		return;
	acts_at = RETIRE_STEPS;
	if (claims) {
		claim(700);
		return;
	}
	go_to(retire_left);
	retire_check();
	retire_add_all();
	add_wide(5);
	add_wide(RETIRE_COUNTERS / 2);
	retire_check();
	allocate();
	go_to(retire_stays);
}

static bool comes(enum retire_step step)
{
	return retires_counters() && (step >= RETIRE_DROP || retire_fences());
}

static void come_back_at(enum retire_step step)
{
	acts_at = step;
	retire_refresh();
	CHECK(retire_count[step] != 0 || !comes(step));
	retire_check();
	for (unsigned i = 0; i < RETIRE_COUNTERS; i++)
		retire_check_told(i);
	free_all();
}

/* Of the counters that lie on pages of their own alone. */
static bool is_moved(unsigned i)
{
	const struct percpu__counter_slot *s = retire_slot(i, retire_left);

	return s->total == 0 && s->told == 0 && s->extra == 0;
}

static void claimed_stays(void)
{
	struct percpu__counter_slot *s = retire_slot(700, retire_left);
	uint64_t total;

	claims = true;
	acts_at = RETIRE_MARKED;
	retire_refresh();
	total = s->total;
	CHECK(total != 0);
	CHECK_EQ(s->told, 2 * total + 1);
	CHECK(is_moved(RETIRE_SIGN));
	retire_check();
	s->told--;
	CHECK(percpu_cpus_refresh() == 0);
	CHECK(is_moved(700));
	retire_check();
	claims = false;
}

static void denied_stays(void)
{
	const struct percpu__counter_slot *s =
		retire_slot(RETIRE_SIGN, retire_left);

	retire_denied = true;
	retire_refresh();
	CHECK(s->total != 0 || s->extra != 0);
	CHECK_EQ(s->told & 1, 0);
	CHECK(2 * s->total - s->told + 62 <= 124);
	retire_check();
	retire_denied = false;
	CHECK(percpu_cpus_refresh() == 0);
	CHECK(is_moved(RETIRE_SIGN));
	retire_check();
}

/* Marks stay, adds go elsewhere, and the next refresh goes on. */
static void refused_at(enum retire_step step)
{
	retire_refused = step;
	retire_refresh();
	retire_refused = RETIRE_STEPS;
	CHECK(retire_is_marked(RETIRE_SIGN));
	go_to(retire_left);
	retire_add_all();
	CHECK(retire_is_marked(RETIRE_SIGN));
	go_to(retire_stays);
	retire_check();
	CHECK(percpu_cpus_refresh() == 0);
	CHECK(is_moved(RETIRE_SIGN));
	retire_check();
}

int main(void)
{
	retire_start();
	for (enum retire_step s = RETIRE_PROBE; s < RETIRE_STEPS; s++)
		come_back_at(s);
	if (retires_counters() && retire_fences()) {
		claimed_stays();
		refused_at(RETIRE_MARKED);
		refused_at(RETIRE_MOVED);
	}
	if (retires_counters())
		denied_stays();
	retire_end();
	return TEST_PASS;
}
