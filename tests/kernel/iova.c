/* SPDX-License-Identifier: MIT */
/*
 * A cache of I/O addresses as the IOMMU layer has it: each CPU has a loaded and
 * a previous magazine under a lock in its per-CPU object, full ones go to a
 * depot. Every address is handed out to one at a time, there are never more
 * than the space has, and all are there again at the end.
 */
#include "port.h"

enum { SPACE = 160, MAG_SIZE = 16, DEPOT_MAX = 2, STEPS = 100000, HELD = 64 };

struct iova_magazine {
	struct iova_magazine *next;
	unsigned long size;
	unsigned long pfns[MAG_SIZE];
};

struct iova_cpu_rcache {
	spinlock_t lock;
	struct iova_magazine *loaded;
	struct iova_magazine *prev;
};

struct iova_rcache {
	spinlock_t lock;
	unsigned depot_size;
	struct iova_magazine *depot;
	struct iova_cpu_rcache __percpu *cpu_rcaches;
};

/* What the tree of ranges does in the kernel. */
struct iova_domain {
	spinlock_t lock;
	unsigned long nr_free;
	unsigned long free[SPACE];
	struct iova_rcache rcache;
};

static DEFINE_PER_CPU(unsigned long, iova_hits);
static DEFINE_PER_CPU(unsigned long, iova_misses);
static struct iova_domain domain;
static unsigned holders[SPACE + 1];

static unsigned long alloc_iova(struct iova_domain *d)
{
	unsigned long pfn = 0;

	spin_lock(&d->lock);
	if (d->nr_free > 0)
		pfn = d->free[--d->nr_free];
	spin_unlock(&d->lock);
	return pfn;
}

static void free_iova(struct iova_domain *d, unsigned long pfn)
{
	spin_lock(&d->lock);
	CHECK(d->nr_free < SPACE);
	d->free[d->nr_free++] = pfn;
	spin_unlock(&d->lock);
}

static void magazine_free_pfns(struct iova_domain *d, struct iova_magazine *mag)
{
	while (mag->size > 0)
		free_iova(d, mag->pfns[--mag->size]);
}

static void magazine_swap(struct iova_cpu_rcache *c)
{
	struct iova_magazine *mag = c->loaded;

	c->loaded = c->prev;
	c->prev = mag;
}

static struct iova_magazine *depot_pop(struct iova_rcache *rc)
{
	struct iova_magazine *mag;

	spin_lock(&rc->lock);
	mag = rc->depot;
	if (mag) {
		rc->depot = mag->next;
		rc->depot_size--;
	}
	spin_unlock(&rc->lock);
	return mag;
}

/* False where it is full; then the ranges go back to the domain. */
static bool depot_push(struct iova_rcache *rc, struct iova_magazine *mag)
{
	bool room;

	spin_lock(&rc->lock);
	room = rc->depot_size < DEPOT_MAX;
	if (room) {
		mag->next = rc->depot;
		rc->depot = mag;
		rc->depot_size++;
	}
	spin_unlock(&rc->lock);
	return room;
}

static bool iova_rcache_insert(struct iova_domain *d, unsigned long pfn)
{
	struct iova_rcache *rc = &d->rcache;
	struct iova_cpu_rcache *c = raw_cpu_ptr(rc->cpu_rcaches);
	struct iova_magazine *mag;
	bool inserted = true;

	spin_lock(&c->lock);
	if (c->loaded->size == MAG_SIZE && c->prev->size < MAG_SIZE) {
		magazine_swap(c);
	} else if (c->loaded->size == MAG_SIZE) {
		mag = kzalloc(sizeof(*mag), GFP_ATOMIC);
		inserted = mag != NULL;
		if (mag && !depot_push(rc, c->loaded)) {
			magazine_free_pfns(d, c->loaded);
			kfree(c->loaded);
		}
		c->loaded = mag ? mag : c->loaded;
	}
	if (inserted)
		c->loaded->pfns[c->loaded->size++] = pfn;
	spin_unlock(&c->lock);
	return inserted;
}

static unsigned long iova_rcache_get(struct iova_domain *d)
{
	struct iova_rcache *rc = &d->rcache;
	struct iova_cpu_rcache *c = get_cpu_ptr(rc->cpu_rcaches);
	struct iova_magazine *mag;
	unsigned long pfn = 0;

	spin_lock(&c->lock);
	if (c->loaded->size == 0 && c->prev->size > 0) {
		magazine_swap(c);
	} else if (c->loaded->size == 0 && (mag = depot_pop(rc)) != NULL) {
		kfree(c->loaded);
		c->loaded = mag;
	}
	if (c->loaded->size > 0)
		pfn = c->loaded->pfns[--c->loaded->size];
	spin_unlock(&c->lock);
	put_cpu_ptr(rc->cpu_rcaches);
	return pfn;
}

static void free_cpu_cached_iovas(struct iova_domain *d, unsigned cpu)
{
	struct iova_cpu_rcache *c = per_cpu_ptr(d->rcache.cpu_rcaches, cpu);

	spin_lock(&c->lock);
	magazine_free_pfns(d, c->loaded);
	magazine_free_pfns(d, c->prev);
	spin_unlock(&c->lock);
}

static void free_global_cached_iovas(struct iova_domain *d)
{
	struct iova_magazine *mag;

	while ((mag = depot_pop(&d->rcache)) != NULL) {
		magazine_free_pfns(d, mag);
		kfree(mag);
	}
}

/* What all CPUs keep is taken back before it fails. */
static unsigned long alloc_iova_fast(struct iova_domain *d)
{
	unsigned long pfn = iova_rcache_get(d);
	unsigned cpu;

	if (pfn) {
		this_cpu_inc(iova_hits);
		return pfn;
	}
	this_cpu_inc(iova_misses);
	pfn = alloc_iova(d);
	if (pfn)
		return pfn;
	for_each_possible_cpu (cpu)
		free_cpu_cached_iovas(d, cpu);
	free_global_cached_iovas(d);
	return alloc_iova(d);
}

static void free_iova_fast(struct iova_domain *d, unsigned long pfn)
{
	if (!iova_rcache_insert(d, pfn))
		free_iova(d, pfn);
}

static int iova_domain_init(struct iova_domain *d)
{
	struct iova_rcache *rc = &d->rcache;
	unsigned cpu;

	spin_lock_init(&d->lock);
	spin_lock_init(&rc->lock);
	for (unsigned long pfn = SPACE; pfn > 0; pfn--)
		free_iova(d, pfn);
	rc->cpu_rcaches = __alloc_percpu(sizeof(struct iova_cpu_rcache),
					 (size_t)cache_line_size());
	if (!rc->cpu_rcaches)
		return -ENOMEM;
	for_each_possible_cpu (cpu) {
		struct iova_cpu_rcache *c = per_cpu_ptr(rc->cpu_rcaches, cpu);

		spin_lock_init(&c->lock);
		c->loaded = kzalloc(sizeof(*c->loaded), GFP_KERNEL);
		c->prev = kzalloc(sizeof(*c->prev), GFP_KERNEL);
		CHECK(c->loaded && c->prev);
	}
	return 0;
}

static void iova_domain_free(struct iova_domain *d)
{
	unsigned cpu;

	for_each_possible_cpu (cpu) {
		struct iova_cpu_rcache *c;

		c = per_cpu_ptr(d->rcache.cpu_rcaches, cpu);
		free_cpu_cached_iovas(d, cpu);
		kfree(c->loaded);
		kfree(c->prev);
	}
	free_global_cached_iovas(d);
	free_percpu(d->rcache.cpu_rcaches);
}

static u64 asked;

static void map(unsigned long pfn)
{
	CHECK(pfn >= 1 && pfn <= SPACE);
	CHECK_EQ(__atomic_exchange_n(&holders[pfn], 1, __ATOMIC_ACQUIRE), 0);
}

static void unmap(unsigned long pfn)
{
	CHECK_EQ(__atomic_exchange_n(&holders[pfn], 0, __ATOMIC_RELEASE), 1);
	free_iova_fast(&domain, pfn);
}

/* Some are held for long, some are given back at once. */
static void dma(struct thread *t)
{
	unsigned long held[HELD] = { 0 };

	for (unsigned i = 0; i < STEPS; i++) {
		unsigned long *slot = &held[next_random(t) % HELD];

		if (*slot) {
			unmap(*slot);
			*slot = 0;
			continue;
		}
		*slot = alloc_iova_fast(&domain);
		__atomic_fetch_add(&asked, 1, __ATOMIC_RELAXED);
		if (*slot)
			map(*slot);
	}
	for (unsigned i = 0; i < HELD; i++)
		if (held[i])
			unmap(held[i]);
}

int main(int argc, char **argv)
{
	u64 counted = 0;
	unsigned cpu;

	count_threads(argc, argv);
	CHECK(iova_domain_init(&domain) == 0);
	run_threads(dma);
	for_each_possible_cpu (cpu)
		counted += per_cpu(iova_hits, cpu) + per_cpu(iova_misses, cpu);
	CHECK_EQ(counted, asked);
	for (unsigned i = 1; i <= SPACE; i++)
		map(alloc_iova_fast(&domain));
	CHECK_EQ(alloc_iova_fast(&domain), 0);
	for (unsigned i = 1; i <= SPACE; i++)
		unmap(i);
	iova_domain_free(&domain);
	CHECK_EQ(domain.nr_free, SPACE);
	return TEST_PASS;
}
