/* SPDX-License-Identifier: MIT */
/*
 * Memory of a gone CPU under live references goes back to the system; they have
 * the count that they had, count per CPU as before, and the CPU counts on when
 * it is back.
 */
#include "cpus.h"
#include "retires.h"

enum { REFS = 50000, ROUNDS = 2 };

static struct percpu_ref refs[REFS];
static int64_t want[REFS];
static unsigned released;

static void release(struct percpu_ref *r)
{
	released++;
	CHECK_EQ(percpu_ref_val(r), 0);
}

static void release_too(struct percpu_ref *r)
{
	release(r);
}

static void get_all(unsigned n)
{
	for (unsigned i = 0; i < REFS; i++) {
		percpu_ref_get_many(&refs[i], n + i % 3);
		want[i] += n + i % 3;
	}
}

static void put_all(unsigned n)
{
	for (unsigned i = 0; i < REFS; i++) {
		percpu_ref_put_many(&refs[i], n);
		want[i] -= n;
	}
}

static void check_all(void)
{
	for (unsigned i = 0; i < REFS; i++) {
		CHECK_EQ(percpu_ref_val(&refs[i]), want[i]);
		CHECK(!percpu_ref_is_dying(&refs[i]));
	}
}

static bool is_percpu(const struct percpu_ref *r)
{
	uint64_t word = __atomic_load_n(&r->guarded.word, __ATOMIC_ACQUIRE);

	return (word & PERCPU__REF_ATOMIC) == 0;
}

static void check_modes(bool percpu)
{
	for (unsigned i = 0; i < REFS; i++)
		CHECK(is_percpu(&refs[i]) == percpu);
}

static void end(void)
{
	struct percpu_alloc_stats left;

	for (unsigned i = 0; i < REFS; i++) {
		percpu_ref_kill(&refs[i]);
		CHECK_EQ(percpu_ref_val(&refs[i]), want[i] - 1);
		percpu_ref_put_many(&refs[i], (uint64_t)want[i] - 1);
		CHECK(percpu_ref_exit(&refs[i]) == 0);
	}
	CHECK_EQ(released, REFS);
	percpu_alloc_stats(&left);
	CHECK_EQ(left.live, 0);
}

int main(void)
{
	unsigned stays = allowed_cpu(0);
	unsigned left = allowed_cpu(1);
	bool percpu;

	go_to(stays);
	for (unsigned i = 0; i < REFS; i++) {
		CHECK(percpu_ref_init(
			      &refs[i], i % 2 == 0 ? release : release_too,
			      i % 4 == 0 ? PERCPU_REF_ALLOW_REINIT : 0) == 0);
		want[i] = 1;
	}
	percpu = is_percpu(&refs[0]);
	for (unsigned round = 0; round < ROUNDS; round++) {
		size_t had;

		go_to(left);
		CHECK(percpu_cpus_refresh() == 0);
		get_all(3);
		go_to(stays);
		put_all(2);
		had = percpu_alloc_populated(left);
		CHECK(percpu_cpus_refresh() == 0);
		if (retires_refs()) {
			CHECK(had >= REFS * sizeof(uint64_t));
			CHECK(percpu_alloc_populated(left) <= had / 8);
		}
		check_modes(percpu);
		check_all();
	}
	end();
	return TEST_PASS;
}
