/* SPDX-License-Identifier: MIT */
/*
 * A CPU that comes back at any step by which the memory under its references is
 * given back gets and puts them as before; they count per CPU afterwards, and
 * do so where a fence is refused in the middle, with their pages, until the
 * next time.
 */
#include "refs.h"

static enum refs_step acts_at = REFS_STEPS;

static void refs_hook(enum refs_step step)
{
	if (step != acts_at)
		return;
	acts_at = REFS_STEPS;
	refs_check();
	go_to(refs_left);
	for (unsigned i = 0; i < REFS; i++) {
		CHECK(percpu_ref_tryget_live(&refs[i]));
		refs_want[i]++;
	}
	refs_get_all();
	go_to(refs_stays);
	refs_put_all();
	refs_check();
}

static bool is_moved(void)
{
	return *refs_slot(REFS_SIGN, refs_left) == 0 &&
	       *refs_slot(REFS_SIGN, refs_stays) == 0;
}

static void come_back_at(enum refs_step step)
{
	acts_at = step;
	refs_refresh();
	CHECK(refs_count[step] != 0 || !refs_can());
	CHECK(step == REFS_PROBE || !refs_can() || is_moved());
	refs_check();
	refs_check_modes(refs_are_percpu());
}

static void refused_at(enum refs_step step)
{
	refs_refused = step;
	refs_refresh();
	refs_refused = REFS_STEPS;
	CHECK(is_moved() == (step == REFS_MOVED));
	refs_check_modes(true);
	go_to(refs_left);
	refs_get_all();
	go_to(refs_stays);
	refs_put_all();
	refs_check();
	CHECK(!is_moved());
	CHECK(percpu_cpus_refresh() == 0);
	CHECK(is_moved());
	refs_check_modes(true);
	refs_check();
}

/* Who retires looks only at what cannot be gone. */
static void owners_are_known(void)
{
	struct percpu_ref *r = &refs[REFS_SIGN + 1];
	void PERCPU *h = r->guarded.handle;

	CHECK(percpu__ref_owner(h) == r);
	CHECK(percpu_ref_switch_to_atomic(r, NULL) == 0);
	CHECK(percpu__ref_owner(h) == NULL);
	CHECK(percpu_ref_switch_to_percpu(r) == 0);
	CHECK(percpu__ref_owner(h) == r);
	percpu_ref_kill(r);
	CHECK(percpu__ref_owner(h) == NULL);
	CHECK(percpu_ref_resurrect(r) == 0);
	CHECK(percpu__ref_owner(h) == r);
	CHECK(percpu__ref_owner_release(h) == refs_release);
	CHECK(r->guarded.handle == h);
}

static bool is_idle(unsigned i)
{
	return i % 6 == 1 || i % 6 == 2;
}

static void sleep_all(void)
{
	for (unsigned i = 0; i < REFS; i++) {
		if (!is_idle(i))
			continue;
		if (i % 6 == 1) {
			CHECK(percpu_ref_switch_to_atomic(&refs[i], NULL) == 0);
			continue;
		}
		percpu_ref_kill(&refs[i]);
		percpu_ref_put_many(&refs[i], (uint64_t)refs_want[i] - 1);
		refs_want[i] = 0;
		CHECK(percpu_ref_is_zero(&refs[i]));
	}
}

static void wake_all(void)
{
	for (unsigned i = 0; i < REFS; i++) {
		if (!is_idle(i))
			continue;
		if (i % 6 == 1) {
			CHECK(percpu_ref_switch_to_percpu(&refs[i]) == 0);
			continue;
		}
		CHECK(percpu_ref_reinit(&refs[i]) == 0);
		refs_want[i] = 1;
	}
}

/* Pages go though handles lie there that nobody counts in. */
static void idle_go(void)
{
	unsigned n = REFS_SIGN + 1;

	CHECK(is_idle(n) && is_idle(n + 1));
	go_to(refs_left);
	CHECK(percpu_cpus_refresh() == 0);
	refs_get_all();
	sleep_all();
	/* As the last life has left it. */
	CHECK(*refs_slot(n, refs_left) != 0);
	CHECK(*refs_slot(n + 1, refs_left) != 0);
	go_to(refs_stays);
	CHECK(percpu_cpus_refresh() == 0);
	CHECK_EQ(*refs_slot(n, refs_left), 0);
	CHECK_EQ(*refs_slot(n + 1, refs_left), 0);
	refs_check();
	wake_all();
	refs_check();
	refs_check_modes(true);
	for (unsigned i = 0; i < REFS; i++)
		refs_get(i, 1);
	refs_check();
}

int main(void)
{
	refs_start();
	for (enum refs_step s = REFS_PROBE; s < REFS_STEPS; s++)
		come_back_at(s);
	if (refs_can()) {
		refused_at(REFS_MARKED);
		refused_at(REFS_MOVED);
		owners_are_known();
		idle_go();
	}
	refs_end();
	return TEST_PASS;
}
