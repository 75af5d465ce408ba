/* SPDX-License-Identifier: MIT */
/*
 * Random allocations, frees and writes against a model of what is live: every
 * object is zero, aligned and nobody else's in every slot, keeps what is
 * written to it, and the library's numbers are the model's. In phases: growing
 * or shrinking, one size or all, frees in several orders; with trims and moves
 * from CPU to CPU between.
 *
 * usage: fuzz [OPS [SEED]]
 */
#include "books.h"
#include "model.h"
#include "random.h"
#include "slots.h"

#include <sched.h>
#include <signal.h>

enum { OBJECTS = 20000, PHASE = 4000, LIVE_BYTES = 4 << 20 };

enum order { RANDOM, LIFO, FIFO, EVERY_OTHER, ORDERS };

enum sizes { ALL, SMALL, ONE, FOUR, CLASSES, MEDIUM, LARGE, SIZES };

static struct object pool[OBJECTS];
static struct object *live[OBJECTS]; /* in no order: [0, count) */
static size_t place[OBJECTS];	     /* of pool[i] in live */
static size_t count;
static size_t live_bytes;
static struct object oldest_newest = { .prev = &oldest_newest,
				       .next = &oldest_newest };
static struct object *spare; /* linked by next */

static uint64_t seed = 1;
static uint64_t state;
static unsigned long long op;
static bool done;

static struct {
	enum order order;
	enum sizes sizes;
	size_t size;	     /* of ONE */
	unsigned grow;	     /* of 100 operations */
	size_t most;	     /* objects at once */
	struct object *next; /* of EVERY_OTHER */
} phase;

static void tell_where(void)
{
	if (!done)
		fprintf(stderr, "seed %ju, operation %llu\n", (uintmax_t)seed,
			op);
}

static void on_abort(int signal)
{
	(void)signal;
	tell_where();
}

/* 1 to @max, each power of two as likely as the next. */
static size_t log_size(size_t max)
{
	size_t top = (size_t)1
		     << pick(&state, 64 - (unsigned)__builtin_clzll(max));

	return 1 + draw(&state) % (top > max ? max : top);
}

static size_t class_size(void)
{
	return 8 * (1 + (size_t)pick(&state, 128));
}

/* Looking at a large one in every slot takes its time: it is seldom one. */
static bool large_one(void)
{
	return one_in(&state, 500 + 20 * percpu_nr_slots());
}

static size_t any_size(void)
{
	unsigned kind = pick(&state, 100);

	if (large_one())
		return one_in(&state, 10) ? percpu_max_size() :
					    log_size(percpu_max_size());
	if (kind < 60)
		return 1 + pick(&state, 64);
	if (kind < 70)
		return 4;
	return kind < 95 ? class_size() : log_size(8192);
}

static size_t draw_size(void)
{
	switch (phase.sizes) {
	case SMALL: return 1 + pick(&state, 32);
	case ONE: return phase.size;
	case FOUR: return 1 + pick(&state, 4);
	case CLASSES: return class_size();
	case MEDIUM: return log_size(4096);
	case LARGE: return large_one() ? log_size(percpu_max_size()) : 1500;
	default: return any_size();
	}
}

static size_t draw_align(size_t size)
{
	size_t align = (size_t)1 << pick(&state, 7);

	if (one_in(&state, 300))
		return (size_t)1 << pick(&state, 13);
	return one_in(&state, 3) || align > size ? 1 : align;
}

static void link_newest(struct object *o)
{
	o->prev = oldest_newest.prev;
	o->next = &oldest_newest;
	o->prev->next = o;
	o->next->prev = o;
	place[o - pool] = count;
	live[count++] = o;
}

static void take_out(struct object *o)
{
	size_t at = place[o - pool];

	if (phase.next == o)
		phase.next = o->next;
	o->prev->next = o->next;
	o->next->prev = o->prev;
	live[at] = live[--count];
	place[live[at] - pool] = at;
}

static struct object *some_object(void)
{
	return live[pick(&state, (unsigned)count)];
}

static void take(void)
{
	struct object *o = spare;
	size_t size = draw_size();
	size_t align = draw_align(size);

	if (o == NULL || live_bytes + size > LIVE_BYTES)
		return;
	spare = o->next;
	model_enter(o, must_alloc(size, align), size, align);
	live_bytes += o->usable;
	link_newest(o);
	if (!one_in(&state, 4))
		model_write(o, draw(&state));
	model_check(some_object());
}

static struct object *draw_victim(void)
{
	switch (phase.order) {
	case LIFO: return oldest_newest.prev;
	case FIFO: return oldest_newest.next;
	case EVERY_OTHER:
		if (phase.next == NULL || phase.next == &oldest_newest)
			phase.next = oldest_newest.next;
		if (phase.next->next != &oldest_newest)
			phase.next = phase.next->next;
		return phase.next;
	default: return some_object();
	}
}

static void give(void)
{
	struct object *o = draw_victim();

	model_leave(o);
	live_bytes -= o->usable;
	take_out(o);
	percpu_free(o->h);
	o->next = spare;
	spare = o;
}

/* To a CPU at random of those that this process may use. */
static void move(void)
{
	static cpu_set_t all;
	cpu_set_t one;
	size_t cpu = pick(&state, CPU_SETSIZE);

	if (CPU_COUNT(&all) == 0)
		CHECK(sched_getaffinity(0, sizeof(all), &all) == 0);
	while (!CPU_ISSET(cpu, &all))
		cpu = (cpu + 1) % CPU_SETSIZE;
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	sched_setaffinity(0, sizeof(one), &one);
}

static void check_all(void)
{
	for (size_t i = 0; i < count; i++)
		model_check(live[i]);
	books_check(count, live_bytes);
}

/* Memory that was never used is had again only when the used is given back. */
static void start_anew(void)
{
	while (count > 0)
		give();
	books_check_empty();
}

/* Where there is room for an object, no chunk is made for it. */
static void take_watched(void)
{
	struct books before = books_now();
	size_t live_before = count;

	take();
	if (count > live_before &&
	    before.largest_free >= 2 * oldest_newest.prev->usable + 4096)
		CHECK_EQ(books_now().chunks, before.chunks);
}

static void begin_phase(void)
{
	phase.order = pick(&state, ORDERS);
	phase.sizes = pick(&state, SIZES);
	phase.size = class_size();
	phase.grow = 30 + pick(&state, 60);
	phase.most = log_size(OBJECTS);
	phase.next = NULL;
	check_all();
	if (one_in(&state, 4))
		start_anew();
}

static void step(void)
{
	if (op % PHASE == 0)
		begin_phase();
	if (one_in(&state, 500))
		move();
	if (one_in(&state, 3000))
		books_trim();
	if (one_in(&state, 500))
		books_check(count, live_bytes);
	if (one_in(&state, 100))
		take_watched();
	else if (count == 0 ||
		 (count < phase.most && pick(&state, 100) < phase.grow))
		take();
	else
		give();
	if (count > 0 && one_in(&state, 5))
		model_write(some_object(), draw(&state));
}

int main(int argc, char **argv)
{
	unsigned long long ops = argc > 1 ? strtoull(argv[1], NULL, 0) : 100000;

	if (argc > 2)
		seed = strtoull(argv[2], NULL, 0);
	state = mix(seed);
	atexit(tell_where);
	signal(SIGABRT, on_abort);
	for (size_t i = 0; i < OBJECTS; i++) {
		pool[i].next = spare;
		spare = &pool[i];
	}
	for (op = 0; op < ops; op++)
		step();
	check_all();
	start_anew();
	done = true;
	printf("%llu operations, seed %ju\n", ops, (uintmax_t)seed);
	return TEST_PASS;
}
