/* SPDX-License-Identifier: MIT */
/*
 * fences.c: one kill makes one fence, kill_many one for all, and what counts in
 * one place none; confirm comes after it. Where fences are refused later, what is killed is not
 * released, what is switched stays as it is, and a look demotes nothing.
 */
#include "support.h"

#include "os.h"

#include <errno.h>

#define MANY 100u
#define FENCE 128

int __real_percpu__os_membarrier(int cmd, unsigned flags, int cpu);
int __wrap_percpu__os_membarrier(int cmd, unsigned flags, int cpu);

static struct percpu_ref ref[MANY];
static struct percpu_ref *refs[MANY];
static unsigned fences;
static unsigned released;
static bool refused;

int __wrap_percpu__os_membarrier(int cmd, unsigned flags, int cpu)
{
	fences += cmd == FENCE;
	return refused ? -EPERM : __real_percpu__os_membarrier(cmd, flags, cpu);
}

static void release(struct percpu_ref *r)
{
	(void)r;
	released++;
}

static void begin(unsigned flags)
{
	for (unsigned i = 0; i < MANY; i++) {
		refs[i] = &ref[i];
		CHECK_EQ(percpu_ref_init(&ref[i], release, flags), 0);
		percpu_ref_get(&ref[i]);
	}
	fences = 0;
	released = 0;
}

static void end(void)
{
	CHECK_EQ(released, 0);
	for (unsigned i = 0; i < MANY; i++)
		percpu_ref_put(&ref[i]);
	CHECK_EQ(released, MANY);
	for (unsigned i = 0; i < MANY; i++)
		CHECK_EQ(percpu_ref_exit(&ref[i]), 0);
}

static unsigned confirmed_after;

static void confirm(struct percpu_ref *r)
{
	CHECK(!percpu_ref_tryget_live(r));
	confirmed_after = fences;
}

/* Not before the fence: a section may have taken one until then. */
static void confirmed(void)
{
	begin(0);
	percpu_ref_kill_and_confirm(&ref[0], confirm);
	CHECK_EQ(confirmed_after, 1);
	percpu_ref_kill_many(refs + 1, MANY - 1);
	end();
}

static void count(unsigned flags, unsigned each, unsigned all)
{
	begin(flags);
	for (unsigned i = 0; i < MANY; i++)
		percpu_ref_kill(&ref[i]);
	CHECK_EQ(fences, each);
	end();
	begin(flags);
	percpu_ref_kill_many(refs, MANY);
	CHECK_EQ(fences, all);
	end();
}

/* Two looks, and one fence for all that were idle in between. */
static void demoted(void)
{
	begin(PERCPU_REF_ADAPTIVE);
	for (unsigned i = 0; i < MANY; i++)
		ref_promote(&ref[i]);
	fences = 0;
	percpu__ref_adapt_settle();
	for (unsigned i = 0; i < MANY; i += 2) {
		percpu_ref_get(&ref[i]);
		percpu_ref_put(&ref[i]);
	}
	CHECK_EQ(fences, 0);
	for (unsigned i = 0; i < MANY; i++)
		CHECK_EQ(ref_is_percpu(&ref[i]), i % 2 == 0);
	refused = true;
	percpu__ref_adapt_settle();
	refused = false;
	for (unsigned i = 0; i < MANY; i++)
		CHECK(percpu_ref_val(&ref[i]) == 2);
	CHECK(ref_is_percpu(&ref[1]));
	percpu__ref_adapt_settle();
	fences = 0;
	percpu__ref_adapt_settle();
	CHECK_EQ(fences, 1);
	for (unsigned i = 0; i < MANY; i++)
		CHECK(!ref_is_percpu(&ref[i]));
	percpu_ref_kill_many(refs, MANY);
	end();
}

static void refused_later(void)
{
	begin(PERCPU_REF_ALLOW_REINIT);
	refused = true;
	CHECK_EQ(percpu_ref_switch_to_atomic(&ref[0], NULL), -EOPNOTSUPP);
	CHECK(ref_is_percpu(&ref[0]));
	percpu_ref_kill(&ref[0]);
	CHECK(percpu_ref_is_dying(&ref[0]));
	CHECK(!percpu_ref_tryget_live(&ref[0]));
	percpu_ref_put(&ref[0]);
	CHECK_EQ(released, 0);
	CHECK(!percpu_ref_is_zero(&ref[0]));
	/* Half killed: it cannot come back, nor begin anew. */
	CHECK_EQ(percpu_ref_resurrect(&ref[0]), -EBUSY);
	CHECK_EQ(percpu_ref_reinit(&ref[0]), -EBUSY);
	CHECK(percpu_ref_is_dying(&ref[0]));
	setenv("PERCPU_MISUSE", "warn", 1);
	CHECK_EQ(percpu_ref_exit(&ref[0]), -EBUSY);
	CHECK_EQ(percpu_ref_switch_to_atomic(&ref[0], NULL), 0);
	refused = false;
}

/* None is released; what counts in one place needs no fence. */
static void refused_many(void)
{
	begin(0);
	CHECK_EQ(percpu_ref_exit(&ref[0]), -EBUSY);
	percpu_ref_put(&ref[0]);
	CHECK_EQ(percpu_ref_exit(&ref[0]), 0);
	CHECK_EQ(percpu_ref_init(&ref[0], release, PERCPU_REF_INIT_ATOMIC), 0);
	percpu_ref_get(&ref[0]);
	refused = true;
	percpu_ref_kill_many(refs, MANY);
	refused = false;
	for (unsigned i = 0; i < MANY; i++) {
		CHECK(percpu_ref_is_dying(&ref[i]));
		CHECK(!percpu_ref_tryget_live(&ref[i]));
		CHECK(percpu_ref_tryget(&ref[i]));
		percpu_ref_put_many(&ref[i], 2);
		CHECK_EQ(percpu_ref_is_zero(&ref[i]), i == 0);
	}
	CHECK_EQ(released, 1);
}

int main(void)
{
	if (!ref_can())
		SKIP("nothing counts per CPU here");
	count(0, MANY, 1);
	count(PERCPU_REF_ALLOW_REINIT, MANY, 1);
	count(PERCPU_REF_INIT_ATOMIC, 0, 0);
	count(PERCPU_REF_ADAPTIVE, 0, 0);
	confirmed();
	demoted();
	refused_later();
	refused_many();
	return TEST_PASS;
}
