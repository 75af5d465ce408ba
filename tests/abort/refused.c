/* SPDX-License-Identifier: MIT */
/*
 * refused.c: under the policy rseq, a thread whose registration was undone, or
 * whose CPU's id is beyond the table, operates on the shared slot, exactly
 * once, and leaves rseq_cs at 0; an interruption at any instruction changes
 * nothing about that.
 */
#include "check.h"
#include "inject.h"
#include "object.h"

#include <sys/rseq.h>
#include <sys/syscall.h>
#include <unistd.h>

static volatile struct rseq *area(void)
{
	return (struct rseq *)((char *)__builtin_thread_pointer() +
			       __rseq_offset);
}

static void unregister(void)
{
	/* glibc 2.35 to 2.39 register 32 bytes whatever __rseq_size says. */
	if (syscall(__NR_rseq, area(), 32, RSEQ_FLAG_UNREGISTER, RSEQ_SIG) != 0)
		SKIP("this thread's registration cannot be undone");
	CHECK((int32_t)area()->cpu_id < 0);
}

static void operate(const struct operation *op, const struct section *s,
		    uintptr_t at)
{
	struct point p = { .section = s, .at = at, .times = 1 };

	object_fill();
	inject_run(op, object_field(), &p, 1, NULL);
	CHECK_EQ(object_once(op).slot, percpu_nr_slots());
	inject_hit(op, &p, false);
}

static void operate_all(void)
{
	for (const struct operation *const *t = operations; *t != NULL; t++)
		for (const struct operation *op = *t; op->name != NULL; op++) {
			const struct section *chain[CHAIN_MAX];
			uintptr_t at[INSTRUCTIONS_MAX];
			size_t count;

			inject_chain(op, object_field(), chain);
			count = inject_instructions(chain[0], at);
			for (size_t i = 0; i < count; i++)
				operate(op, chain[0], at[i]);
		}
}

/* As the area of a thread on CPU @id, or in that state, with that @cid. */
static void pretend(uint32_t id, uint32_t cid)
{
	/* The kernel's mm_cid, which <sys/rseq.h> may not know. */
	volatile uint32_t *mm_cid =
		(uint32_t *)((char *)__builtin_thread_pointer() +
			     __rseq_offset + 24);

	area()->cpu_id = id;
	*mm_cid = cid;
	operate_all();
}

int main(void)
{
	struct mode mode;

	inject_start();
	mode = object_start();
	CHECK(mode.twins);
	unregister();
	pretend(area()->cpu_id, 0);
	pretend((uint32_t)-1, 0);
	pretend((uint32_t)-2, 0);
	pretend(percpu_nr_slots(), percpu_nr_slots());
	pretend(INT32_MAX, INT32_MAX);
	if (mode.by_cid)
		pretend(0, percpu_nr_slots() + 1);
	return TEST_PASS;
}
