/* SPDX-License-Identifier: MIT */
/*
 * threads.c: whatever moves and signals threads, every add is in the sum once,
 * of batches from 1 to 40, of values within and beyond, from handlers too; and
 * then a read is off by less than a batch a slot. (b14-exit.c reads meanwhile.)
 */
#include "check.h"
#include "counter.h"
#include "crowd.h"
#include "slot.h"

#include <percpu/percpu.h>

static struct percpu_counter counter;

static int64_t value(uint64_t random)
{
	int64_t v = (int64_t)(random % 8) - 3;

	return random % 128 == 0 ? v * 1000 : v;
}

static void step(struct crowd_member *me)
{
	uint64_t random = crowd_random(me);
	int64_t v = value(random >> 8);
	int32_t batch = random % 64 == 0 ? 40 : (int32_t)(random % 8);

	percpu_counter_add_batch(&counter, v, batch);
	me->added += v;
	if (random % 1024 == 0)
		percpu_counter_sync(&counter);
}

static void handler(struct crowd_member *me)
{
	for (int64_t v = 1; v <= 7; v++) {
		percpu_counter_add_batch(&counter, v, 5);
		me->added_in_handler += v;
	}
}

/* No slot is further off than it may be, and none is being carried. */
static void check_slots(void)
{
	uint64_t reach = 39;
	char *slot = percpu__slot_object(percpu__counter_part(&counter), 0);

	for (unsigned i = 0; i < percpu_nr_slots(); i++) {
		struct percpu__counter_slot *s =
			(void *)(slot + i * percpu_stride());

		CHECK_EQ(s->told % 2, 0);
		CHECK(2 * s->total - s->told + 2 * reach <= 4 * reach);
	}
}

static void check_read(void)
{
	int64_t off =
		percpu_counter_read(&counter) - percpu_counter_sum(&counter);
	int64_t bound = percpu_counter_error_bound(&counter) / 2;

	printf("a read is off by %lld of %lld\n", (long long)off,
	       (long long)bound);
	CHECK(off >= -bound && off <= bound);
}

int main(void)
{
	static struct crowd c = { .step = step,
				  .handler = handler,
				  .steps = 1000000 };

	CHECK(percpu_counter_init(&counter, 77) == 0);
	percpu_counter_add_batch(&counter, 0, 40);
	crowd_run(&c);
	CHECK_EQ(percpu_counter_sum(&counter), 77 + crowd_added(&c));
	check_slots();
	check_read();
	percpu_counter_destroy(&counter);
	return TEST_PASS;
}
