/* SPDX-License-Identifier: MIT */
#include "object.h"

#include "check.h"

#include <sched.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/rseq.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef AT_RSEQ_FEATURE_SIZE
#define AT_RSEQ_FEATURE_SIZE 27
#endif

/* Bytes of struct rseq up to the end of mm_cid. */
#define CID_END 28

struct object {
	uint8_t before[24];
	uint64_t field;
	uint8_t after[24];
};

static struct object PERCPU *object;

static volatile struct rseq *area(void)
{
	return (struct rseq *)((char *)__builtin_thread_pointer() +
			       __rseq_offset);
}

bool object_registered(void)
{
	return (int32_t)area()->cpu_id >= 0;
}

void object_unregister(void)
{
	/* glibc 2.35 to 2.39 register 32 bytes whatever __rseq_size says. */
	if (syscall(__NR_rseq, area(), 32, RSEQ_FLAG_UNREGISTER, RSEQ_SIG) != 0)
		SKIP("this thread's registration cannot be undone");
	CHECK(!object_registered());
}

void object_pretend(uint32_t cpu_id, uint32_t mm_cid)
{
	/* mm_cid is behind what <sys/rseq.h> may know. */
	volatile uint32_t *words = (volatile uint32_t *)area();

	area()->cpu_id = cpu_id;
	words[CID_END / sizeof(*words) - 1] = mm_cid;
}

static void pin(void)
{
	cpu_set_t set;
	int cpu = sched_getcpu();

	CHECK(cpu >= 0);
	CPU_ZERO(&set);
	CPU_SET((unsigned)cpu, &set);
	if (cpu >= CPU_SETSIZE || sched_setaffinity(0, sizeof(set), &set) != 0)
		SKIP("this thread cannot be pinned to CPU %d", cpu);
}

static bool environment_says(const char *name, const char *what)
{
	const char *value = getenv(name);

	return value != NULL && strcmp(value, what) == 0;
}

static void skip_unless_as_asked(struct mode mode)
{
	if (getenv("PERCPU_BACKEND") == NULL && !mode.twins)
		SKIP("no restartable sequences on this machine");
	if (environment_says("PERCPU_INDEX", "cid") &&
	    getauxval(AT_RSEQ_FEATURE_SIZE) < CID_END)
		SKIP("this kernel has no concurrency ids");
	if (environment_says("GLIBC_TUNABLES", "glibc.pthread.rseq=0") &&
	    __rseq_size != 0)
		SKIP("this libc does not leave restartable sequences alone");
}

struct mode object_start(void)
{
	struct mode mode;
	const char *why;

	pin();
	object = percpu_new(struct object);
	CHECK(object != NULL);
	mode.twins = percpu_backend(&why) == PERCPU_MODE_RSEQ;
	mode.inlined = percpu__rt.limit != 0;
	mode.by_cid = environment_says("PERCPU_INDEX", "cid");
	mode.registered = object_registered();
	skip_unless_as_asked(mode);
	printf("%s; inlined sections %s\n", why,
	       mode.inlined ? "commit" : "refuse");
	return mode;
}

void PERCPU *object_field(void)
{
	return &object->field;
}

void object_fill(void)
{
	struct object *slot;

	percpu_for_each_slot (slot, object)
		memset(slot, FILL, sizeof(*slot));
}

uint64_t narrow(uint64_t value, unsigned size)
{
	return size == 8 ? value : value & ((1ull << 8 * size) - 1);
}

static void check_neighbours(const struct object *slot, unsigned size)
{
	const uint8_t *bytes = (const uint8_t *)slot;

	for (size_t i = 0; i < sizeof(*slot); i++)
		if (i - offsetof(struct object, field) >= size &&
		    bytes[i] != FILL)
			FAIL("byte %zu beside the field of %u at %zu changed",
			     i, size, offsetof(struct object, field));
}

struct outcome object_outcome(unsigned size)
{
	struct outcome o = { 0, 0, 0, 0 };

	CHECK_EQ(area()->rseq_cs, 0);
	for (unsigned i = 0; i <= percpu_nr_slots(); i++) {
		const struct object *slot = percpu_ptr(object, i);
		uint64_t value = narrow(slot->field, size);

		check_neighbours(slot, size);
		if (value == narrow(OLD, size))
			continue;
		o.changed++;
		o.slot = i;
		o.value = value;
		o.added = narrow(o.added + value - OLD, size);
	}
	return o;
}

uint64_t object_effect(const struct operation *op, uint64_t before)
{
	uint64_t after = op->value;

	switch (op->effect) {
	case EFFECT_ADD:
	case EFFECT_ADD_RETURN: after += before; break;
	case EFFECT_AND: after &= before; break;
	case EFFECT_OR: after |= before; break;
	case EFFECT_XOR: after ^= before; break;
	case EFFECT_CMPXCHG:
		if (narrow(before ^ OLD, op->size) != 0)
			after = before;
		break;
	default: break;
	}
	return narrow(after, op->size);
}

uint64_t object_result(const struct operation *op, uint64_t before)
{
	if (op->effect == EFFECT_ADD_RETURN)
		return object_effect(op, before);
	return narrow(before, op->size);
}

bool object_resulted(const struct operation *op, uint64_t before)
{
	return op->effect < EFFECT_ADD_RETURN ||
	       operation_result == object_result(op, before);
}

struct outcome object_once(const struct operation *op)
{
	struct outcome o = object_outcome(op->size);

	if (o.changed != 1)
		FAIL("%s changed %u slots", op->name, o.changed);
	CHECK_EQ(o.value, object_effect(op, OLD));
	if (!object_resulted(op, OLD))
		FAIL("%s: result %#lx", op->name,
		     (unsigned long)operation_result);
	return o;
}
