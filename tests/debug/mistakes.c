/* SPDX-License-Identifier: MIT */
/*
 * mistakes.c MISTAKE: a program that makes one mistake with per-CPU objects,
 * or with "none" uses them as it should, and frees what it has. For asan.sh,
 * valgrind.sh and poison.sh.
 */
#include "check.h"

#include <percpu/percpu.h>

#include <string.h>

struct stats {
	uint64_t packets;
	uint64_t bytes;
};

static struct stats PERCPU *h;
static struct stats PERCPU *neighbour;

static unsigned last_slot(void)
{
	return percpu_nr_slots() - 1;
}

static void write_over(void)
{
	percpu_ptr(h, last_slot())[1].packets = 1;
}

static void read_over(void)
{
	volatile struct stats *s = percpu_ptr(h, last_slot());

	printf("%ju\n", (uintmax_t)s[1].bytes);
}

static void write_before(void)
{
	percpu_ptr(neighbour, last_slot())[-1].bytes = 1;
}

static void write_shared(void)
{
	percpu_shared_ptr(h)[1].packets = 1;
}

/* Of 8 bytes of shadow only 5 are the object's. */
static void write_odd(void)
{
	char PERCPU *odd = percpu_alloc(5, 1);

	*(volatile char *)(percpu_ptr(odd, 0) + 5) = 1;
	percpu_free(odd);
}

static void write_freed(void)
{
	struct stats PERCPU *freed = percpu_new(struct stats);

	percpu_free(freed);
	percpu_ptr(freed, last_slot())->bytes = 1;
}

/* What is zero already, as a sum is, and what looks like new memory. */
static void zero_freed(void)
{
	struct stats PERCPU *freed = percpu_new(struct stats);

	percpu_ptr(freed, last_slot())->bytes = 7;
	percpu_free(freed);
	memset(percpu_ptr(freed, last_slot()), 0, sizeof(struct stats));
}

static void add_over(void)
{
	percpu_add(&(h + 1)->packets, 1);
}

static void write_op_over(void)
{
	percpu_write((uint8_t PERCPU *)(h + 1), 1);
}

static void read_op_over(void)
{
	printf("%u\n", percpu_read((uint16_t PERCPU *)(h + 1)));
}

static void sum_over(void)
{
	printf("%u\n", percpu_sum((uint32_t PERCPU *)(h + 1)));
}

static void add_freed(void)
{
	struct stats PERCPU *freed = percpu_new(struct stats);

	percpu_free(freed);
	percpu_inc(&freed->bytes);
}

static void dereference(void)
{
	*(volatile char *)(uintptr_t)h = 1;
}

static void lose(void)
{
	percpu_free(h);
	h = percpu_new(struct stats);
	h = percpu_new(struct stats);
}

static void use(struct stats PERCPU *s)
{
	struct stats *at;

	percpu_inc(&s->packets);
	percpu_add(&s->bytes, 100);
	percpu_write(&s->packets, percpu_read(&s->packets) + 1);
	CHECK_EQ(percpu_sum(&s->bytes), 100);
	percpu_for_each_slot (at, s)
		at->bytes = 0;
	CHECK_EQ(percpu_sum(&s->bytes), 0);
}

/* Every byte of objects of many sizes. */
static void use_all_sizes(void)
{
	for (size_t size = 1; size < 5000; size += size / 4 + 1) {
		char PERCPU *object = percpu_alloc(size, 1);
		char *at;

		CHECK(object != NULL);
		percpu_for_each_slot (at, object) {
			for (size_t i = 0; i < size; i++)
				CHECK(at[i] == 0);
			memset(at, 1, size);
		}
		percpu_free(object);
	}
}

/* Memory to which a slot alone points is no leak. */
static void own_memory(void)
{
	static void *volatile kept;
	void *PERCPU *owner = percpu_new(void *);

	kept = owner;
	owner = kept;
	*percpu_ptr(owner, last_slot()) = malloc(10);
	*percpu_shared_ptr(owner) = (void *)(uintptr_t)percpu_new(int);
}

/* More than a quarantine of 16 KiB holds. */
static void none(void)
{
	for (unsigned i = 0; i < 3; i++)
		use_all_sizes();
	own_memory();
}

static const struct {
	const char *name;
	void (*make)(void);
} mistakes[] = {
	{ "write-over", write_over },
	{ "read-over", read_over },
	{ "write-before", write_before },
	{ "write-shared", write_shared },
	{ "write-odd", write_odd },
	{ "write-freed", write_freed },
	{ "zero-freed", zero_freed },
	{ "add-over", add_over },
	{ "write-op-over", write_op_over },
	{ "read-op-over", read_op_over },
	{ "sum-over", sum_over },
	{ "add-freed", add_freed },
	{ "dereference", dereference },
	{ "lose", lose },
	{ "none", none },
};

static void make(const char *name)
{
	for (size_t i = 0; i < sizeof(mistakes) / sizeof(*mistakes); i++)
		if (strcmp(mistakes[i].name, name) == 0) {
			mistakes[i].make();
			return;
		}
	FAIL("no mistake '%s'", name);
}

int main(int argc, char **argv)
{
	CHECK(argc == 2);
	h = percpu_new(struct stats);
	neighbour = percpu_new(struct stats);
	CHECK(h != NULL && neighbour != NULL);
	use(h);
	use(neighbour);
	make(argv[1]);
	percpu_free(h);
	percpu_free(neighbour);
	return TEST_PASS;
}
