/* SPDX-License-Identifier: MIT */
#ifndef BENCH_H1_H
#define BENCH_H1_H
/*
 * h1.h: the ways to count a loopback device's packets, and the devices that
 * count so. What carries the packets is up to h1.c and h1_udp.c.
 */
#include "compare.h"
#include "h1_layout.h"

#include <percpu/percpu.h>

struct h1_stats {
	uint64_t packets, bytes;
};

/* On the 32-bit machines of the time the same struct had 8 bytes. */
struct h1_stats32 {
	uint32_t packets, bytes;
};

enum h1_kind {
	H1_OLD_8,
	H1_OLD_16,
	H1_OLD_32,
	H1_PATCH,
	H1_PERCPU,
	H1_PERCPU_AGAIN,
	H1_NONE,
	H1_KINDS
};

struct h1_device {
	struct h1_layout layout;	/* H1_OLD_8 to H1_PATCH */
	struct h1_stats PERCPU *percpu; /* H1_PERCPU, H1_PERCPU_AGAIN */
	unsigned length;		/* of a packet */
	struct {
		struct h1_stats count;
	} HARNESS_APART sent[H1_CPUS]; /* by each thread */
} HARNESS_APART;

#define H1_INLINE static inline __attribute__((always_inline))

/* The table is looked up for each packet, as a driver's function did. */
H1_INLINE void *h1_piece(const struct h1_device *d, unsigned thread)
{
	return __atomic_load_n(&d->layout.table[thread], __ATOMIC_RELAXED);
}

H1_INLINE void h1_count_old32(struct h1_device *d, unsigned thread,
			      unsigned length)
{
	struct h1_stats32 *s = h1_piece(d, thread);

	s->packets++;
	__asm__ volatile("" : "+m"(s->packets));
	s->bytes += length;
	__asm__ volatile("" : "+m"(s->bytes));
}

H1_INLINE void h1_count_old(struct h1_device *d, unsigned thread,
			    unsigned length)
{
	struct h1_stats *s = h1_piece(d, thread);

	s->packets++;
	__asm__ volatile("" : "+m"(s->packets));
	s->bytes += length;
	__asm__ volatile("" : "+m"(s->bytes));
}

H1_INLINE void h1_count_percpu(struct h1_device *d, unsigned thread,
			       unsigned length)
{
	(void)thread;
	percpu_add(&d->percpu->packets, 1);
	percpu_add(&d->percpu->bytes, length);
}

H1_INLINE void h1_count_none(struct h1_device *d, unsigned thread,
			     unsigned length)
{
	(void)d;
	(void)thread;
	(void)length;
}

typedef void h1_kernel(void *device, unsigned thread, uint64_t packets);

/*
 * The kernels of one carrier, an inlined function that carries packets and
 * calls the count it is given for each.
 */
#define H1_KERNEL(carry, count)                                                \
	__attribute__((noinline, aligned(64))) static void carry##_##count(    \
		void *device, unsigned thread, uint64_t packets)               \
	{                                                                      \
		carry(device, thread, packets, h1_count_##count);              \
	}

#define H1_KERNELS(carry)                                                      \
	H1_KERNEL(carry, old32)                                                \
	H1_KERNEL(carry, old)                                                  \
	H1_KERNEL(carry, percpu)                                               \
	H1_KERNEL(carry, none)                                                 \
	static h1_kernel *const carry##_kernels[H1_KINDS] = {                  \
		[H1_OLD_8] = carry##_old32,                                    \
		[H1_OLD_16] = carry##_old,                                     \
		[H1_OLD_32] = carry##_old,                                     \
		[H1_PATCH] = carry##_old,                                      \
		[H1_PERCPU] = carry##_percpu,                                  \
		[H1_PERCPU_AGAIN] = carry##_percpu,                            \
		[H1_NONE] = carry##_none,                                      \
	}

/* Note that @thread has sent @packets. */
H1_INLINE void h1_sent(struct h1_device *d, unsigned thread, uint64_t packets)
{
	d->sent[thread].count.packets += packets;
	d->sent[thread].count.bytes += packets * d->length;
}

/*
 * Compare the devices with packets of @length bytes that @kernels carry; the
 * rest as in struct comparison. @goal: what old over new should be at least,
 * or 0.
 */
void h1_compare(const struct bench *b, const char *key, const char *title,
		unsigned length, h1_kernel *const *kernels, double goal,
		double slice_ns, const char *(*wrong)(void));

/* Real UDP packets over the loopback device. */
void h1_udp(const struct bench *b);

#endif
