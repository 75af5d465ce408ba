/* SPDX-License-Identifier: MIT */
/*
 * copies-plugin.c: a plug-in that takes a program's handle, counter and
 * reference, uses functions that the program does not, and has a variable.
 */
#include <percpu/percpu.h>

PERCPU_DEFINE(uint64_t, copies_own);

void *copies_library(void);
uint64_t copies_use(uint64_t PERCPU *h, struct percpu_counter *c,
		    struct percpu_ref *r);
uint64_t copies_use_own(void);
void copies_free(uint64_t PERCPU *h);

void *copies_library(void)
{
	return &percpu__rt;
}

uint64_t copies_use(uint64_t PERCPU *h, struct percpu_counter *c,
		    struct percpu_ref *r)
{
	percpu_inc(h);
	percpu_counter_inc(c);
	percpu_ref_get(r);
	percpu_ref_put(r);
	return percpu_sum(h) + (uint64_t)percpu_counter_sum(c);
}

uint64_t copies_use_own(void)
{
	struct percpu_rwlock lock;

	if (percpu_rwlock_init(&lock) != 0)
		return 0;
	percpu_rwlock_read_lock(&lock);
	percpu_inc(percpu_var(copies_own));
	percpu_rwlock_read_unlock(&lock);
	percpu_rwlock_destroy(&lock);
	return percpu_sum(percpu_var(copies_own));
}

void copies_free(uint64_t PERCPU *h)
{
	percpu_free(h);
}
