/* SPDX-License-Identifier: MIT */
/*
 * h1.c: the loopback device's counters of 2008.
 *
 * The device counted {packets, bytes} per CPU, in heap pieces so small that
 * those of all CPUs lay in one cache line, next to the table that names them.
 * Each packet then moved that line to the CPU that sent it. The cure of 2008
 * rounded pieces and table to whole lines; this library has a unit per CPU, so
 * that 16 bytes take 16 and there is no table.
 *
 *   old, SLUB        1 line    table | piece 0 | piece 1
 *   old, SLAB        2 lines   table | piece 0      piece 1
 *   cure of 2008     3 lines   table      piece 0      piece 1
 *   this library               unit 0: ..., stats, ...  unit 1: ..., stats, ...
 *
 * Here a packet is copied in, counted, and checksummed out, which is about what
 * a loopback device does; the kernel's real one is in h1_udp.c. Without
 * accounting is the bound: nobody can gain more than that.
 *
 * The threads are pinned, so that the plain ++ of the old ways is exact, as it
 * was in the kernel with preemption off. The library's counts are summed and
 * must be what was sent.
 */
#include "h1.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define PACKET 2048
#define RING 16

static struct {
	char packets[RING][PACKET];
} ring[H1_CPUS] __attribute__((aligned(4096)));
static char source[PACKET] __attribute__((aligned(4096)));

static uint64_t checksum(const char *packet, unsigned length)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i + 8 <= length; i += 8) {
		uint64_t word;

		memcpy(&word, packet + i, 8);
		sum += word;
		sum = sum << 1 | sum >> 63;
	}
	return sum;
}

H1_INLINE void copy(struct h1_device *d, unsigned thread, uint64_t packets,
		    void (*count)(struct h1_device *, unsigned, unsigned))
{
	unsigned length = d->length;
	uint64_t sum = 0;

	for (uint64_t i = 0; i < packets; i++) {
		char *packet = ring[thread].packets[i % RING];

		memcpy(packet, source, length);
		__asm__ volatile("" : : : "memory");
		count(d, thread, length);
		sum += checksum(packet, length);
	}
	__asm__ volatile("" : : "r"(sum));
	h1_sent(d, thread, packets);
}

H1_KERNELS(copy);

static struct h1_device devices[H1_KINDS];

static const struct {
	const char *name, *what, *control_of;
	size_t size, smallest; /* of its heap pieces */
} kinds[H1_KINDS] = {
	[H1_OLD_8] = { "old_8", "old (SLUB, 8 bytes)", NULL,
		       sizeof(struct h1_stats32), 8 },
	[H1_OLD_16] = { "old_16", "old (SLUB, 16 bytes)", NULL,
			sizeof(struct h1_stats), 8 },
	[H1_OLD_32] = { "old_32", "old (SLAB, 16 bytes)", NULL,
			sizeof(struct h1_stats), 32 },
	[H1_PATCH] = { "patch", "cure of 2008 (whole lines)", NULL,
		       sizeof(struct h1_stats), PERCPU_LINE },
	[H1_PERCPU] = { "percpu", "this library", NULL, 0, 0 },
	[H1_PERCPU_AGAIN] = { "percpu_again", "this library, again", "percpu",
			      0, 0 },
	[H1_NONE] = { "none", "no counting (bound)", NULL, 0, 0 },
};

static int open_device(enum h1_kind k)
{
	struct h1_device *d = &devices[k];

	if (kinds[k].size != 0)
		return h1_layout_make(&d->layout, kinds[k].size,
				      kinds[k].smallest);
	if (k == H1_NONE)
		return 0;
	d->percpu = percpu_new(struct h1_stats);
	return d->percpu != NULL ? 0 : -errno;
}

static void close_device(enum h1_kind k)
{
	h1_layout_free(&devices[k].layout);
	percpu_free(devices[k].percpu);
}

/* The memory of a device's counts for the CPUs that count here. */
static void set_bytes(struct variant *v, enum h1_kind k)
{
	if (kinds[k].size != 0) {
		v->bytes = (unsigned)h1_layout_bytes(&devices[k].layout);
		v->bytes_per_cpu =
			(unsigned)h1_layout_bytes_per_cpu(&devices[k].layout);
	} else if (k != H1_NONE) {
		/* A unit for each CPU, and the shared slot. */
		v->bytes = sizeof(struct h1_stats) * (H1_CPUS + 1);
		v->bytes_per_cpu = sizeof(struct h1_stats);
	}
}

static bool exact(struct h1_device *d)
{
	struct h1_stats sent = { 0, 0 };

	for (unsigned t = 0; t < H1_CPUS; t++) {
		sent.packets += d->sent[t].count.packets;
		sent.bytes += d->sent[t].count.bytes;
	}
	return percpu_sum(&d->percpu->packets) == sent.packets &&
	       percpu_sum(&d->percpu->bytes) == sent.bytes;
}

static const char *miscounted(void)
{
	if (exact(&devices[H1_PERCPU]) && exact(&devices[H1_PERCPU_AGAIN]))
		return NULL;
	return "the library's counts are not what was sent";
}

void h1_compare(const struct bench *b, const char *key, const char *title,
		unsigned length, h1_kernel *const *kernels, double goal,
		double slice_ns, const char *(*wrong)(void))
{
	struct variant variants[H1_KINDS];
	const struct ratio ratios[] = {
		{ "old_8_over_percpu", "old_8", "percpu", GOAL_NONE, 0 },
		{ "old_16_over_percpu", "old_16", "percpu",
		  goal > 0 ? GOAL_AT_LEAST : GOAL_NONE, goal },
		{ "old_32_over_percpu", "old_32", "percpu", GOAL_NONE, 0 },
		{ "old_16_over_patch", "old_16", "patch", GOAL_NONE, 0 },
		{ "patch_over_percpu", "patch", "percpu", GOAL_NONE, 0 },
		{ "percpu_over_none", "percpu", "none", GOAL_NONE, 0 },
	};
	const struct comparison c = { key,	title,	  "packet", H1_CPUS,
				      variants, H1_KINDS, ratios,   6,
				      slice_ns, wrong,	  false };

	memset(variants, 0, sizeof(variants));
	for (unsigned k = 0; k < H1_KINDS; k++) {
		variants[k].name = kinds[k].name;
		variants[k].what = kinds[k].what;
		variants[k].control_of = kinds[k].control_of;
		variants[k].run = kernels[k];
		variants[k].arg = &devices[k];
		set_bytes(&variants[k], k);
		devices[k].length = length;
	}
	compare(b, &c);
}

static void run(const struct bench *b)
{
	int err = 0;

	for (unsigned k = 0; k < H1_KINDS && err == 0; k++)
		err = open_device(k);
	if (err == 0) {
		h1_compare(b, "copy_64", "64-byte packets copied", 64,
			   copy_kernels, 2.0, 5e4, miscounted);
		h1_compare(b, "copy_1500", "1500-byte packets copied", 1500,
			   copy_kernels, 0, 1e5, miscounted);
		h1_udp(b);
	} else {
		bench_emit(b, "skipped",
			   json_pack("{s:s, s:s}", "policy", "default", "why",
				     strerror(-err)));
	}
	for (unsigned k = 0; k < H1_KINDS; k++)
		close_device(k);
}

static const struct part parts[] = {
	{ "default", PERCPU_POLICY_AUTO, PERCPU_INDEX_CPU, run },
};

const struct experiment experiment_h1 = {
	.name = "H1",
	.what = "the loopback device's counters of 2008: old layout beside new",
	.story =
		"  Linux kept each CPU's packet and byte counters of the loopback "
		"device in a small\n"
		"  heap object, found by a table of pointers (old). Small objects "
		"of several CPUs\n"
		"  lay in one cache line, which then moved with every packet; how "
		"many, the smallest\n"
		"  object of the heap decided (SLUB 8 bytes, SLAB 32). The cure "
		"of 2008 rounded the\n"
		"  objects and the table to whole lines. This library packs them, "
		"by CPU. Each line\n"
		"  below: bytes for two CPUs, time for a packet.\n",
	.short_ratio = "old_16_over_percpu",
	.short_from = "copy_64",
	.parts = parts,
	.nr_parts = 1,
};
