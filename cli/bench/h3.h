/* SPDX-License-Identifier: MIT */
#ifndef BENCH_H3_H
#define BENCH_H3_H
/*
 * h3.h: the ways to count who holds a device or a route, and worlds of such
 * objects. What is done with a packet meanwhile is up to h3.c.
 */
#include "harness.h"

#include <percpu/percpu.h>

#define H3_CPUS 2
#define H3_ROUTES 100000u

enum h3_way {
	H3_ATOMIC,
	H3_TABLE,
	H3_OFFSET,
	H3_PERCPU,
	H3_PERCPU_AGAIN,
	H3_NONE,
	H3_WAYS
};

/* A heap piece for each CPU, padded to a line; the table that names them. */
struct h3_piece {
	uint64_t n;
} PERCPU_LINE_ALIGNED;

struct h3_table {
	struct h3_piece *of[H3_CPUS];
} PERCPU_LINE_ALIGNED;

/*
 * What a packet is sent by: what it reads of it, and its count. A bigref asks
 * whether it is slow before it counts on its CPU.
 */
struct h3_object {
	uint32_t mtu, gateway;
	union {
		uint32_t atomic;
		struct {
			uint64_t slow;
			union {
				struct h3_table *table;
				char PERCPU *handle;
			};
		} big;
		struct percpu_ref ref;
	};
} PERCPU_LINE_ALIGNED;

struct h3_world {
	struct h3_object *objects;
	unsigned nr;
	unsigned length;	  /* of a packet */
	struct h3_table *tables;  /* H3_TABLE: one for each object */
	struct h3_piece *pieces;  /* H3_TABLE: nr for each CPU */
	struct percpu_ref **refs; /* H3_PERCPU: those that are made */
	unsigned nr_refs;
	uint64_t offset[H3_CPUS]; /* H3_OFFSET: of each thread's slot */
	struct {
		uint64_t random;
	} HARNESS_APART state[H3_CPUS];
} HARNESS_APART;

/*
 * Make @nr objects that count in @way, for threads on @cpus. Returns 0 or
 * -errno; to be closed in any case.
 */
int h3_open(struct h3_world *w, enum h3_way way, unsigned nr, const int *cpus);
void h3_close(struct h3_world *w, enum h3_way way);

/* Whether each object has one reference, the owner's; of H3_PERCPU. */
bool h3_is_exact(const struct h3_world *w);

/* Bytes of one reference, on H3_CPUS; and what one CPU more takes. */
unsigned h3_bytes(enum h3_way way);
unsigned h3_bytes_per_cpu(enum h3_way way);

#define H3_INLINE static inline __attribute__((always_inline))

H3_INLINE void h3_get_atomic(struct h3_object *o, const struct h3_world *w,
			     unsigned thread)
{
	(void)w;
	(void)thread;
	__atomic_fetch_add(&o->atomic, 1, __ATOMIC_RELAXED);
}

H3_INLINE void h3_put_atomic(struct h3_object *o, const struct h3_world *w,
			     unsigned thread)
{
	(void)w;
	(void)thread;
	if (__atomic_sub_fetch(&o->atomic, 1, __ATOMIC_ACQ_REL) == 0)
		__builtin_trap();
}

/* The threads are pinned, so that a plain add is as good as a local_t's. */
H3_INLINE void h3_count(const struct h3_object *o, uint64_t *n, uint64_t by)
{
	if (__atomic_load_n(&o->big.slow, __ATOMIC_RELAXED) != 0)
		__builtin_trap();
	*n += by;
	__asm__ volatile("" : "+m"(*n));
}

H3_INLINE uint64_t *h3_in_table(const struct h3_object *o, unsigned thread)
{
	const struct h3_table *table =
		__atomic_load_n(&o->big.table, __ATOMIC_RELAXED);

	return &__atomic_load_n(&table->of[thread], __ATOMIC_RELAXED)->n;
}

H3_INLINE void h3_get_table(struct h3_object *o, const struct h3_world *w,
			    unsigned thread)
{
	(void)w;
	h3_count(o, h3_in_table(o, thread), 1);
}

H3_INLINE void h3_put_table(struct h3_object *o, const struct h3_world *w,
			    unsigned thread)
{
	(void)w;
	h3_count(o, h3_in_table(o, thread), UINT64_MAX);
}

H3_INLINE uint64_t *h3_at_offset(const struct h3_object *o,
				 const struct h3_world *w, unsigned thread)
{
	return (uint64_t *)((uintptr_t)__atomic_load_n(&o->big.handle,
						       __ATOMIC_RELAXED) +
			    w->offset[thread]);
}

H3_INLINE void h3_get_offset(struct h3_object *o, const struct h3_world *w,
			     unsigned thread)
{
	h3_count(o, h3_at_offset(o, w, thread), 1);
}

H3_INLINE void h3_put_offset(struct h3_object *o, const struct h3_world *w,
			     unsigned thread)
{
	h3_count(o, h3_at_offset(o, w, thread), UINT64_MAX);
}

H3_INLINE void h3_get_percpu(struct h3_object *o, const struct h3_world *w,
			     unsigned thread)
{
	(void)w;
	(void)thread;
	percpu_ref_get(&o->ref);
}

H3_INLINE void h3_put_percpu(struct h3_object *o, const struct h3_world *w,
			     unsigned thread)
{
	(void)w;
	(void)thread;
	percpu_ref_put(&o->ref);
}

H3_INLINE void h3_get_none(struct h3_object *o, const struct h3_world *w,
			   unsigned thread)
{
	(void)o;
	(void)w;
	(void)thread;
}

#define h3_put_none h3_get_none

#endif
