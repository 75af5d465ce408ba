/* SPDX-License-Identifier: MIT */
/*
 * bigref.c: the reference counts of 2005, over percpu_ref.
 *
 *                     percpu_ref counts          a put that brings it to zero
 *   init ... disown   the references, and one    is not there
 *   after disown      the references             releases
 *
 * disown has given the per-CPU memory back, so a put takes no lock, and may be
 * in a signal handler.
 *
 * The release function comes with the put, and a percpu_ref has it from init;
 * so a put here asks whether it was the last and releases by itself. Nothing
 * else finds zero: disown is called by who has a reference, a bigref is not
 * adaptive, and destroy takes what there is without releasing.
 */
#include "ref.h"

#include <percpu/kernel/bigref.h>

/* percpu_ref_init() wants one; nothing calls it. */
static void nobody(struct percpu_ref *r)
{
	(void)r;
}

void percpu__bigref_init(struct bigref *b)
{
	if (percpu_ref_init(&b->ref, nobody, 0) != 0)
		(void)percpu_ref_init(&b->ref, nobody, PERCPU_REF_INIT_ATOMIC);
	percpu_ref_get(&b->ref);
}

/* Add @n, which may be below zero, while the owner's hold is there. */
static void change(struct bigref *b, int64_t n)
{
	if (n > 0)
		percpu_ref_get_many(&b->ref, (uint64_t)n);
	else if (n < 0)
		percpu_ref_put_many(&b->ref, 0 - (uint64_t)n);
}

void percpu__bigref_set(struct bigref *b, int val)
{
	change(b, val - bigref_val(b));
}

void percpu__bigref_put(struct bigref *b, percpu__bigref_fn *release)
{
	if (percpu__ref_put_last(&b->ref, 1) && release != NULL)
		release(b);
}

void percpu__bigref_destroy(struct bigref *b)
{
	int64_t n = bigref_val(b);

	if (!percpu_ref_is_dying(&b->ref))
		change(b, 0 - n);
	else if (n > 0)
		(void)percpu__ref_put_last(&b->ref, (uint64_t)n);
	percpu_ref_exit(&b->ref);
}

long percpu__bigref_val(const struct bigref *b)
{
	int64_t n = percpu_ref_val(&b->ref);

	return (long)(percpu_ref_is_dying(&b->ref) ? n : n - 1);
}
