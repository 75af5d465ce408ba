/* SPDX-License-Identifier: MIT */
/*
 * multi.c: an abort at any one instruction of any section of several adds, and
 * an interruption beside it, leaves each add done exactly once, nothing beside
 * them changed and rseq_cs at 0; wherever the processor stores 64, 32 or 16
 * bytes at once. Moved to another CPU there, the thread adds the rest on that.
 */
#include "multi.h"
#include "check.h"
#include "inject.h"
#include "object.h"

#include <sched.h>
#include <string.h>
#include <sys/rseq.h>

/* Absent where there is no C++ compiler. */
extern const struct multi multi_cxx[] __attribute__((weak));

static const struct multi *const tables[] = { multi_c, multi_twin, multi_cxx,
					      NULL };

extern const struct section __start___rseq_cs[];
extern const struct section __stop___rseq_cs[];

static unsigned long aborts;

struct multi_object PERCPU *multi_object;

void PERCPU *multi_field(unsigned n)
{
	return &multi_object->field[n];
}

static void fill(void)
{
	struct multi_object *slot;

	percpu_for_each_slot (slot, multi_object)
		memset(slot, FILL, sizeof(*slot));
}

/* What became of field @n in all slots, where @bytes of it may change. */
static uint64_t total(unsigned n, unsigned bytes)
{
	const struct multi_object *slot;
	uint64_t sum = 0;

	percpu_for_each_slot (slot, multi_object) {
		uint64_t change = slot->field[n] ^ OLD;

		if (bytes < 8 && change >> 8 * bytes != 0)
			FAIL("field %u changed beyond %u bytes", n, bytes);
		sum += slot->field[n] - OLD;
	}
	return bytes == 0 ? sum : narrow(sum, bytes);
}

static void check_once(const struct multi *m)
{
	const volatile struct rseq *area =
		(struct rseq *)((char *)__builtin_thread_pointer() +
				__rseq_offset);
	struct multi_add wanted[MULTI_FIELDS] = { { 0, 0, 0 } };

	CHECK_EQ(area->rseq_cs, 0);
	for (unsigned i = 0; i < 8 && m->adds[i].bytes != 0; i++)
		wanted[m->adds[i].field] = m->adds[i];
	for (unsigned n = 0; n < MULTI_FIELDS; n++)
		if (total(n, wanted[n].bytes) !=
		    narrow(wanted[n].v, wanted[n].bytes))
			FAIL("%s: field %u got %#llx", m->name, n,
			     (unsigned long long)total(n, wanted[n].bytes));
}

/* Have blocks stored as where the processor has at most so many bytes. */
static void store_at_most(uint32_t bytes)
{
	percpu__rt.vector = bytes;
	if (bytes < 16)
		percpu__rt.limit_16 = 0;
	if (bytes < 64)
		percpu__rt.limit_64 = 0;
	if (bytes < 32)
		percpu__rt.limit_32 = 0;
}

/* Emulators interrupt between instructions, whatever the processor says. */
#ifndef EMULATED
#define EMULATED 0
#endif

static void store_two(void)
{
	if (percpu__rt.vector < 16)
		percpu__rt.vector = 16;
	percpu__rt.limit_16 = percpu__rt.limit;
}

static const struct multi *now;

static void run_now(void PERCPU *field)
{
	(void)field;
	now->run();
}

static bool by_cpu, moved;

/* To any other CPU; stays where there is none. */
static void move(void)
{
	unsigned here = (unsigned)sched_getcpu();

	for (unsigned cpu = 0; cpu < percpu_nr_cpu_ids() && !moved; cpu++) {
		cpu_set_t one;

		CPU_ZERO(&one);
		CPU_SET(cpu, &one);
		moved = cpu != here &&
			sched_setaffinity(0, sizeof(one), &one) == 0;
	}
}

/* That the last add of @m is in this thread's slot, and in no other. */
static void check_here(const struct multi *m)
{
	unsigned n = 0;

	while (n < 7 && m->adds[n + 1].bytes != 0)
		n++;
	for (unsigned i = 0; i <= percpu_nr_slots(); i++)
		CHECK((percpu_ptr(multi_object, i)->field[m->adds[n].field] !=
		       OLD) == (i == percpu_this_slot()));
}

/* Interrupt @s at @at; whether the thread came there. */
static bool interrupt(const struct multi *m, const struct section *s,
		      uintptr_t at)
{
	const struct operation op = { m->name, run_now, 8, 0, 0 };
	struct point p = { .section = s, .at = at, .times = 1 };

	now = m;
	fill();
	moved = false;
	inject_run(&op, NULL, &p, 1, by_cpu ? move : NULL);
	check_once(m);
	if (moved && at < section_end(s))
		check_here(m);
	aborts += p.aborted;
	return inject_hit(&op, &p, object_registered());
}

/* A time slice may end in the section and spare the breakpoint: try again. */
static bool reached(const struct multi *m, const struct section *s,
		    uintptr_t at)
{
	for (int i = 0; i < 5; i++)
		if (interrupt(m, s, at))
			return true;
	return false;
}

/*
 * Interrupt @s at each instruction, and at two before and after. Whether all of
 * it was reached: it has no turns but those out of it, so that beyond an
 * instruction that was not reached no other may be.
 */
static bool interrupt_section(const struct multi *m, const struct section *s)
{
	uintptr_t at[INSTRUCTIONS_MAX];
	size_t count = inject_instructions(s, at);
	bool whole = true;

	for (size_t i = 0; i < count; i++) {
		bool hit = reached(m, s, at[i]);

		if (at[i] < s->start || at[i] > section_end(s))
			continue;
		if (hit && !whole)
			FAIL("%s: not reached before %+ld", m->name,
			     (long)(at[i] - s->start));
		whole = hit;
	}
	return whole;
}

static void interrupt_each(const struct multi *m, bool commits)
{
	unsigned sections = 0;
	unsigned whole = 0;

	for (const struct section *s = __start___rseq_cs; s != __stop___rseq_cs;
	     s++) {
		if (!interrupt(m, s, s->start))
			continue;
		sections++;
		whole += interrupt_section(m, s);
	}
	printf("%s: %u sections, %u of them whole\n", m->name, sections, whole);
	CHECK(sections != 0 && (whole != 0) == commits);
}

int main(void)
{
	static const uint32_t widths[] = { 64, 32, 16, 8 };
	struct mode mode;

	inject_start();
	mode = object_start();
	by_cpu = mode.twins && !mode.by_cid;
	multi_object = percpu_new(struct multi_object);
	CHECK(multi_object != NULL);
	if (EMULATED)
		store_two();
	for (unsigned i = 0; i < 4; i++) {
		if (percpu__rt.vector < widths[i])
			continue;
		store_at_most(widths[i]);
		if (widths[i] < 16 && CPU_STORES < 16)
			CHECK_EQ(percpu__try_block_2(multi_field(8), 1, 1), 0);
		for (const struct multi *const *t = tables; *t != NULL; t++)
			for (const struct multi *m = *t; m->name != NULL; m++)
				if (mode.twins || !m->twin)
					interrupt_each(m, mode.twins);
	}
	printf("%lu aborts\n", aborts);
	CHECK((aborts != 0) == mode.registered);
	return TEST_PASS;
}
