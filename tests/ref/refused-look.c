/* SPDX-License-Identifier: MIT */
/*
 * refused-look.c: who switches a reference to atomic while the library demotes
 * it, and is refused the fence, switches it all the same, or says that it is
 * refused, too, and leaves it as it was.
 */
#include "support.h"

#include <errno.h>

#define FENCE 128

int __real_percpu__os_membarrier(int cmd, unsigned flags, int cpu);
int __wrap_percpu__os_membarrier(int cmd, unsigned flags, int cpu);

static struct percpu_ref ref;
static pthread_t looker;
static unsigned refused; /* so many fences */
static bool looking;

static void release(struct percpu_ref *r)
{
	(void)r;
}

/* The fence of the look: until the other one switches, too. */
int __wrap_percpu__os_membarrier(int cmd, unsigned flags, int cpu)
{
	if (cmd != FENCE || refused == 0)
		return __real_percpu__os_membarrier(cmd, flags, cpu);
	if (pthread_equal(pthread_self(), looker)) {
		__atomic_store_n(&looking, true, __ATOMIC_RELEASE);
		while ((ref_word(&ref) & PERCPU__REF_STICKY) == 0)
			sched_yield();
	}
	refused--;
	return -ENOSYS;
}

static void *switches(void *arg)
{
	while (!__atomic_load_n(&looking, __ATOMIC_ACQUIRE))
		sched_yield();
	*(int *)arg = percpu_ref_switch_to_atomic(&ref, NULL);
	return arg;
}

static int switched_while_looked_at(unsigned refusals)
{
	pthread_t thread;
	int ret = 1;

	CHECK_EQ(percpu_ref_init(&ref, release, PERCPU_REF_ADAPTIVE), 0);
	percpu_ref_get(&ref);
	ref_promote(&ref);
	CHECK(ref_is_percpu(&ref));
	percpu__ref_adapt_settle();
	looking = false;
	looker = pthread_self();
	refused = refusals;
	CHECK(pthread_create(&thread, NULL, switches, &ret) == 0);
	percpu__ref_adapt_settle();
	CHECK(pthread_join(thread, NULL) == 0);
	CHECK_EQ(refused, 0);
	CHECK_EQ(percpu_ref_val(&ref), 2);
	return ret;
}

static void end(void)
{
	percpu_ref_put(&ref);
	CHECK_EQ(percpu_ref_exit(&ref), 0);
}

int main(void)
{
	if (!ref_can())
		SKIP("nothing counts per CPU here");
	CHECK_EQ(switched_while_looked_at(1), 0);
	CHECK(!percpu__ref_is_percpu(ref_word(&ref)));
	end();
	CHECK_EQ(switched_while_looked_at(2), -EOPNOTSUPP);
	CHECK(percpu__ref_is_percpu(ref_word(&ref)));
	CHECK_EQ(ref_word(&ref) & PERCPU__REF_STICKY, 0);
	end();
	return TEST_PASS;
}
