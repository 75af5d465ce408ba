/* SPDX-License-Identifier: MIT */
/*
 * h3.c: who holds a network device, or a route, as was asked in 2005.
 *
 * Each packet took a reference of its device and of its route, and gave it
 * back: two atomics on a word that all CPUs share. Bigrefs count per CPU
 * instead. They came with an allocator that also saved the table by which a
 * CPU's copy was found, and lines of padding around each. The whole was
 * measured as one, and the question remained how much was whose.
 *
 *              1 device                      10^5 routes, one at random
 *   shared     one line goes to and fro      lines seldom meet; each is missed
 *   table      never                         three lines are missed
 *   offset     never                         two, one with 7 others' counts
 *
 * So the ratios are apart: shared over table is what spreading gains, table
 * over offset what the saved dereference gains, with nothing but a plain ++ in
 * both. A plain ++ is wrong where a thread is moved or interrupted; this
 * library over offset is what being right in a program costs.
 *
 * Measured on an AMD EPYC (Zen 5 class), two CPUs, 256-byte packets: with one
 * device spreading gains 2.0 to 2.8 x and the dereference nothing, as the table
 * stays in the cache. With routes the dereference gains 2.0 x, and spreading
 * loses: the shared atomic takes half of this library's time and a quarter of
 * the table's, for two CPUs seldom meet at a route and a count by itself is one
 * line more to miss. What few share is for PERCPU_REF_ADAPTIVE.
 *
 * The goals are what a prototype gained with one device, by a plain ++ at an
 * offset, on an AMD EPYC (Zen 4 class) whose CPUs are near each other.
 *
 * The threads are pinned, so that the plain ++ is exact, as it was in the
 * kernel. The library's references must all be given back in the end.
 */
#include "h3.h"
#include "compare.h"

#include <errno.h>
#include <sched.h>
#include <string.h>

#define PACKET 2048
#define RING 16

static struct {
	char packets[RING][PACKET];
} ring[H3_CPUS] __attribute__((aligned(4096)));
static char source[PACKET] __attribute__((aligned(4096)));

/* Copy a packet in and sum it up, as a driver and a protocol do. */
H3_INLINE uint64_t carry(char *packet, unsigned length)
{
	uint64_t sum = 0;

	memcpy(packet, source, length);
	__asm__ volatile("" : : : "memory");
	for (unsigned i = 0; i + 8 <= length; i += 8) {
		uint64_t word;

		memcpy(&word, packet + i, 8);
		sum += word;
		sum = sum << 1 | sum >> 63;
	}
	return sum;
}

H3_INLINE uint64_t next(uint64_t random)
{
	random ^= random << 13;
	random ^= random >> 7;
	return random ^ random << 17;
}

typedef void h3_count_fn(struct h3_object *, const struct h3_world *, unsigned);

H3_INLINE void send(struct h3_world *w, unsigned thread, uint64_t packets,
		    h3_count_fn *get, h3_count_fn *put)
{
	uint64_t random = w->state[thread].random;
	uint64_t sum = 0;

	for (uint64_t i = 0; i < packets; i++) {
		struct h3_object *o = &w->objects[(random >> 32) * w->nr >> 32];

		get(o, w, thread);
		sum += __atomic_load_n(&o->mtu, __ATOMIC_RELAXED) +
		       __atomic_load_n(&o->gateway, __ATOMIC_RELAXED);
		if (w->length != 0)
			sum += carry(ring[thread].packets[i % RING], w->length);
		put(o, w, thread);
		random = next(random);
	}
	__asm__ volatile("" : : "r"(sum));
	w->state[thread].random = random;
}

#define KERNEL(way)                                                            \
	__attribute__((noinline, aligned(64))) static void send_##way(         \
		void *world, unsigned thread, uint64_t packets)                \
	{                                                                      \
		send(world, thread, packets, h3_get_##way, h3_put_##way);      \
	}

KERNEL(atomic)
KERNEL(table)
KERNEL(offset)
KERNEL(percpu)
KERNEL(none)

static const struct {
	const char *name, *what, *control_of;
	void (*run)(void *, unsigned, uint64_t);
} ways[H3_WAYS] = {
	[H3_ATOMIC] = { "atomic", "shared atomic", NULL, send_atomic },
	[H3_TABLE] = { "table", "bigref, by a table", NULL, send_table },
	[H3_OFFSET] = { "offset", "bigref, by one offset", NULL, send_offset },
	[H3_PERCPU] = { "percpu", "this library", NULL, send_percpu },
	[H3_PERCPU_AGAIN] = { "percpu_again", "this library, again", "percpu",
			      send_percpu },
	[H3_NONE] = { "none", "no counting (bound)", NULL, send_none },
};

static struct h3_world worlds[H3_WAYS];

static const char *miscounted(void)
{
	if (h3_is_exact(&worlds[H3_PERCPU]) &&
	    h3_is_exact(&worlds[H3_PERCPU_AGAIN]))
		return NULL;
	return "the library's references were not all given back";
}

static void set_variant(struct variant *v, enum h3_way way, unsigned length)
{
	v->name = ways[way].name;
	v->what = ways[way].what;
	v->control_of = ways[way].control_of;
	v->run = ways[way].run;
	v->arg = &worlds[way];
	v->bytes = h3_bytes(way);
	v->bytes_per_cpu = h3_bytes_per_cpu(way);
	worlds[way].length = length;
}

static void compare_ways(const struct bench *b, const char *key,
			 const char *title, unsigned length, double goal,
			 double slice_ns)
{
	const struct ratio ratios[] = {
		{ "atomic_over_percpu", "atomic", "percpu",
		  goal > 0 ? GOAL_AT_LEAST : GOAL_NONE, goal },
		{ "atomic_over_table", "atomic", "table", GOAL_NONE, 0 },
		{ "table_over_offset", "table", "offset", GOAL_NONE, 0 },
		{ "table_over_percpu", "table", "percpu", GOAL_NONE, 0 },
		{ "percpu_over_offset", "percpu", "offset", GOAL_NONE, 0 },
		{ "percpu_over_none", "percpu", "none", GOAL_NONE, 0 },
	};
	struct variant variants[H3_WAYS];
	const struct comparison c = { key,	title,	    "packet", H3_CPUS,
				      variants, H3_WAYS,    ratios,   6,
				      slice_ns, miscounted, false };

	memset(variants, 0, sizeof(variants));
	for (unsigned way = 0; way < H3_WAYS; way++)
		set_variant(&variants[way], way, length);
	compare(b, &c);
}

static void compare_devices(const struct bench *b)
{
	compare_ways(b, "device_0", "1 device, nothing else done", 0, 8.8, 5e4);
	compare_ways(b, "device_256", "1 device, 256-byte packets", 256, 2.15,
		     5e4);
	compare_ways(b, "device_1500", "1 device, 1500-byte packets", 1500,
		     1.13, 1e5);
}

/* Other ways' routes have taken the caches: slices are longer. */
static void compare_routes(const struct bench *b)
{
	compare_ways(b, "routes_0", "100,000 routes, nothing else done", 0, 0,
		     2e5);
	compare_ways(b, "routes_256", "100,000 routes, 256-byte packets", 256,
		     0, 2e5);
	compare_ways(b, "routes_1500", "100,000 routes, 1500-byte packets",
		     1500, 0, 2e5);
}

/* Before anything is timed each CPU has met its pages. */
static void touch(const int *cpus)
{
	for (unsigned t = 0; t < H3_CPUS; t++) {
		cpu_set_t one;

		CPU_ZERO(&one);
		CPU_SET((size_t)cpus[t], &one);
		sched_setaffinity(0, sizeof(one), &one);
		for (unsigned way = 0; way < H3_WAYS; way++)
			ways[way].run(&worlds[way], t, worlds[way].nr);
	}
}

static void with_objects(const struct bench *b, unsigned nr,
			 void (*comparisons)(const struct bench *))
{
	/* With one CPU nothing will be compared. */
	const int cpus[H3_CPUS] = { b->cpus[0],
				    b->cpus[b->nr_cpus > 1 ? 1 : 0] };
	int err = 0;
	unsigned opened = 0;

	for (; opened < H3_WAYS && err == 0; opened++)
		err = h3_open(&worlds[opened], opened, nr, cpus);
	if (err == 0) {
		touch(cpus);
		comparisons(b);
	} else {
		bench_emit(b, "skipped",
			   json_pack("{s:s, s:s}", "policy", "default", "why",
				     strerror(-err)));
	}
	while (opened-- != 0)
		h3_close(&worlds[opened], opened);
}

static void run(const struct bench *b)
{
	with_objects(b, 1, compare_devices);
	with_objects(b, H3_ROUTES, compare_routes);
}

static const struct part parts[] = {
	{ "default", PERCPU_POLICY_AUTO, PERCPU_INDEX_CPU, run },
};

const struct experiment experiment_h3 = {
	.name = "H3",
	.what = "references of devices and routes of 2005: shared, by a table, "
		"and by CPU",
	.story =
		"  Each packet takes a reference of its device and of its route "
		"and gives it back.\n"
		"  In 2005 that was an atomic which all CPUs share; a bigref "
		"counts per CPU instead.\n"
		"  Its copies were found by a table of pointers and padded to "
		"whole lines; the same\n"
		"  patches had them at one offset from each other, packed. The "
		"gain was reported\n"
		"  as a whole, of it 2 % by the saved dereference for devices "
		"and 10 % with routes.\n"
		"  Here they are apart: shared over table is what spreading "
		"gains, table over offset\n"
		"  what the dereference costs, both by a plain ++; this library "
		"is right without\n"
		"  pinned threads, too. Each line: bytes of a reference for two "
		"CPUs, time for a\n"
		"  packet. Two CPUs seldom meet at a route, and each copy is a "
		"line more to miss:\n"
		"  there the shared atomic may well be the fastest.\n",
	.short_ratio = "atomic_over_percpu",
	.short_from = "device_256",
	.parts = parts,
	.nr_parts = 1,
};
