/* SPDX-License-Identifier: MIT */
#ifndef PERCPU_KERNEL_STATS_H
#define PERCPU_KERNEL_STATS_H
/*
 * stats.h: numbers that are changed through a pointer to this CPU's object.
 *
 *   struct lstats *s = this_cpu_ptr(dev->lstats);
 *
 *   u64_stats_update_begin(&s->syncp);
 *   u64_stats_inc(&s->packets);
 *   u64_stats_add(&s->bytes, len);
 *   u64_stats_update_end(&s->syncp);
 *
 * A thread may be moved with the pointer in its hand; so these are atomics, and
 * exact, at the price of a locked instruction each, on a line that is seldom
 * another CPU's. this_cpu_inc() and kin on plain fields cost less. The two do
 * not go together on one field.
 *
 * u64_stats_sync excludes nobody and takes no room, as in a kernel of 64 bits:
 * a reader may see one field ahead of another.
 *
 * Errors: none. Context: any. Ordering: none.
 */
#include <percpu/kernel/types.h>
#include <string.h>

struct u64_stats_sync {
	struct percpu__kernel_nothing none;
};

PERCPU__DECLS_BEGIN

typedef struct {
	uint64_t v;
} u64_stats_t;

static inline void u64_stats_init(struct u64_stats_sync *s)
{
	(void)s;
}

static inline void u64_stats_update_begin(struct u64_stats_sync *s)
{
	(void)s;
}

static inline void u64_stats_update_end(struct u64_stats_sync *s)
{
	(void)s;
}

static inline unsigned long
u64_stats_update_begin_irqsave(struct u64_stats_sync *s)
{
	(void)s;
	return 0;
}

static inline void u64_stats_update_end_irqrestore(struct u64_stats_sync *s,
						   unsigned long flags)
{
	(void)s;
	(void)flags;
}

static inline unsigned u64_stats_fetch_begin(const struct u64_stats_sync *s)
{
	(void)s;
	return 0;
}

/* Until 2022, and 2014. */
static inline unsigned u64_stats_fetch_begin_irq(const struct u64_stats_sync *s)
{
	return u64_stats_fetch_begin(s);
}

static inline unsigned u64_stats_fetch_begin_bh(const struct u64_stats_sync *s)
{
	return u64_stats_fetch_begin(s);
}

/* Never again. */
static inline bool u64_stats_fetch_retry(const struct u64_stats_sync *s,
					 unsigned start)
{
	(void)s;
	return start != 0;
}

static inline bool u64_stats_fetch_retry_irq(const struct u64_stats_sync *s,
					     unsigned start)
{
	return u64_stats_fetch_retry(s, start);
}

static inline bool u64_stats_fetch_retry_bh(const struct u64_stats_sync *s,
					    unsigned start)
{
	return u64_stats_fetch_retry(s, start);
}

static inline uint64_t u64_stats_read(const u64_stats_t *p)
{
	return __atomic_load_n(&p->v, __ATOMIC_RELAXED);
}

static inline void u64_stats_set(u64_stats_t *p, uint64_t v)
{
	__atomic_store_n(&p->v, v, __ATOMIC_RELAXED);
}

static inline void u64_stats_add(u64_stats_t *p, uint64_t v)
{
	__atomic_fetch_add(&p->v, v, __ATOMIC_RELAXED);
}

static inline void u64_stats_sub(u64_stats_t *p, uint64_t v)
{
	__atomic_fetch_sub(&p->v, v, __ATOMIC_RELAXED);
}

/* Each of the u64_stats_t of @len bytes at @from whole, not all at one time. */
static inline void u64_stats_copy(void *to, const void *from, size_t len)
{
	const u64_stats_t *src = (const u64_stats_t *)from;
	char *dst = (char *)to;

	for (; len >= sizeof(*src); len -= sizeof(*src), dst += sizeof(*src)) {
		uint64_t v = u64_stats_read(src++);

		memcpy(dst, &v, sizeof(v));
	}
}

static inline void u64_stats_inc(u64_stats_t *p)
{
	u64_stats_add(p, 1);
}

/* A long of one CPU, that others read. Here others may change it, too. */
typedef struct {
	long a;
} local_t;

#define LOCAL_INIT(i)                                                          \
	{                                                                      \
		(i)                                                            \
	}

static inline long local_read(const local_t *l)
{
	return __atomic_load_n(&l->a, __ATOMIC_RELAXED);
}

static inline void local_set(local_t *l, long v)
{
	__atomic_store_n(&l->a, v, __ATOMIC_RELAXED);
}

static inline long local_add_return(long v, local_t *l)
{
	return __atomic_add_fetch(&l->a, v, __ATOMIC_RELAXED);
}

static inline long local_sub_return(long v, local_t *l)
{
	return __atomic_sub_fetch(&l->a, v, __ATOMIC_RELAXED);
}

static inline void local_add(long v, local_t *l)
{
	(void)local_add_return(v, l);
}

static inline void local_sub(long v, local_t *l)
{
	(void)local_sub_return(v, l);
}

static inline void local_inc(local_t *l)
{
	(void)local_add_return(1, l);
}

static inline void local_dec(local_t *l)
{
	(void)local_sub_return(1, l);
}

static inline long local_inc_return(local_t *l)
{
	return local_add_return(1, l);
}

static inline long local_dec_return(local_t *l)
{
	return local_sub_return(1, l);
}

/* Whether it was not @unless, and so became @v more. */
static inline bool local_add_unless(local_t *l, long v, long unless)
{
	long old = local_read(l);

	while (old != unless)
		if (__atomic_compare_exchange_n(&l->a, &old, old + v, false,
						__ATOMIC_RELAXED,
						__ATOMIC_RELAXED))
			return true;
	return false;
}

static inline bool local_inc_not_zero(local_t *l)
{
	return local_add_unless(l, 1, 0);
}

/* Whether it is below zero now. */
static inline bool local_add_negative(long v, local_t *l)
{
	return local_add_return(v, l) < 0;
}

/* Whether it is zero now. */
static inline bool local_inc_and_test(local_t *l)
{
	return local_inc_return(l) == 0;
}

static inline bool local_dec_and_test(local_t *l)
{
	return local_dec_return(l) == 0;
}

static inline bool local_sub_and_test(long v, local_t *l)
{
	return local_sub_return(v, l) == 0;
}

/* What it was. */
static inline long local_xchg(local_t *l, long v)
{
	return __atomic_exchange_n(&l->a, v, __ATOMIC_RELAXED);
}

static inline bool local_try_cmpxchg(local_t *l, long *old, long v)
{
	return __atomic_compare_exchange_n(&l->a, old, v, false,
					   __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

static inline long local_cmpxchg(local_t *l, long old, long v)
{
	(void)local_try_cmpxchg(l, &old, v);
	return old;
}

PERCPU__DECLS_END
#endif
