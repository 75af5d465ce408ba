/* SPDX-License-Identifier: MIT */
/*
 * registry.c: a hash table of chunks' bases, open addressing, that readers ask
 * without a lock: percpu_free() must know a handle from any other number
 * before it looks at what lies there.
 *
 *   table -> | mask | 0 | base | GONE | base | 0 | ...
 *
 * 1. An entry is written by one store and never moves within a table.
 * 2. A search ends at an empty entry; so an entry that is removed becomes GONE
 *    unless an empty one follows it.
 * 3. A table is at most half full, GONE included, or the next chunk finds a
 *    table of twice the size in its place. Former tables stay, since somebody
 *    may read them still: together they are smaller than the one in force.
 *
 * A child of fork finds the table as it is: each change is one store.
 */
#include "registry.h"

#include "os.h"

#include <percpu/base.h>

#include <errno.h>

#define GONE 1u
#define FIRST_ENTRIES 64u

/* Of which readers see the registry. */
struct table {
	struct percpu__registry r;
	struct table *former;
	size_t len;    /* of its mapping; 0 for the first */
	size_t filled; /* entries that are not empty; guarded as changes are */
};

static uintptr_t first_entries[FIRST_ENTRIES];
static struct table first_table = {
	.r = { .mask = FIRST_ENTRIES - 1, .entries = first_entries },
};
const struct percpu__registry *percpu__registry = &first_table.r;
/* Made without the lock, for whoever adds next and needs it. */
static struct table *spare;

static struct table *in_force(void)
{
	return (struct table *)__atomic_load_n(&percpu__registry,
					       __ATOMIC_ACQUIRE);
}

static uintptr_t load(const struct table *t, size_t i)
{
	return __atomic_load_n(&t->r.entries[i & t->r.mask], __ATOMIC_ACQUIRE);
}

static void store(struct table *t, size_t i, uintptr_t value)
{
	__atomic_store_n(&t->r.entries[i & t->r.mask], value, __ATOMIC_RELEASE);
}

/* The place of @base; of an empty entry if it is not there. */
static size_t place(const struct table *t, uintptr_t base)
{
	size_t i = percpu__registry_hash(base);
	size_t left = t->r.mask;

	while (left-- > 0) {
		uintptr_t entry = load(t, i);

		if (entry == base || entry == 0)
			break;
		i++;
	}
	return i;
}

bool percpu__registry_search(const char *base)
{
	const struct table *t = in_force();

	return (uintptr_t)base > GONE &&
	       load(t, place(t, (uintptr_t)base)) == (uintptr_t)base;
}

static void insert(struct table *t, uintptr_t base)
{
	size_t i = percpu__registry_hash(base);

	while (load(t, i) > GONE)
		i++;
	if (load(t, i) == 0)
		__atomic_store_n(&t->filled, t->filled + 1, __ATOMIC_RELAXED);
	store(t, i, base);
}

static bool full(const struct table *t)
{
	return __atomic_load_n(&t->filled, __ATOMIC_RELAXED) > t->r.mask / 2;
}

/* An empty table of @entries; NULL if memory is short. */
static struct table *make(size_t entries)
{
	size_t len = percpu__os_pages(sizeof(struct table) +
				      entries * sizeof(uintptr_t));
	struct table *t = percpu__os_map(len);

	if (t == NULL)
		return NULL;
	t->len = len;
	t->r.mask = entries - 1;
	t->r.entries = (uintptr_t *)(void *)(t + 1);
	return t;
}

int percpu__registry_reserve(void)
{
	struct table *none = NULL;
	struct table *t;

	if (!full(in_force()) ||
	    __atomic_load_n(&spare, __ATOMIC_RELAXED) != NULL)
		return 0;
	t = make((in_force()->r.mask + 1) * 2);
	if (t == NULL)
		return -ENOMEM;
	if (!__atomic_compare_exchange_n(&spare, &none, t, false,
					 __ATOMIC_RELEASE, __ATOMIC_RELAXED))
		percpu__os_release(t, t->len);
	return 0;
}

/* Put @t, which is larger, in the place of @old. */
static void replace(struct table *t, struct table *old)
{
	for (size_t i = 0; i <= old->r.mask; i++)
		if (load(old, i) > GONE)
			insert(t, load(old, i));
	t->former = old;
	__atomic_store_n(&percpu__registry, &t->r, __ATOMIC_RELEASE);
}

bool percpu__registry_add(const struct percpu__chunk *c)
{
	struct table *t = in_force();

	if (full(t)) {
		struct table *larger =
			__atomic_exchange_n(&spare, NULL, __ATOMIC_ACQUIRE);

		if (larger == NULL)
			return false;
		replace(larger, t);
		t = larger;
	}
	insert(t, (uintptr_t)c->base);
	return true;
}

void percpu__registry_remove(const struct percpu__chunk *c)
{
	struct table *t = in_force();
	size_t i = place(t, (uintptr_t)c->base);

	store(t, i, GONE);
	if (load(t, i + 1) != 0)
		return;
	while (load(t, i) == GONE) {
		store(t, i--, 0);
		__atomic_store_n(&t->filled, t->filled - 1, __ATOMIC_RELAXED);
	}
}

struct percpu__chunk *percpu__registry_next(size_t *at)
{
	const struct table *t = in_force();

	while (*at <= t->r.mask) {
		uintptr_t base = load(t, (*at)++);

		if (base > GONE)
			return percpu__chunk_of((const void *)base);
	}
	return NULL;
}

void percpu__registry_release(void)
{
	struct table *t = in_force();

	if (spare != NULL)
		percpu__os_release(spare, spare->len);
	spare = NULL;
	__atomic_store_n(&percpu__registry, &first_table.r, __ATOMIC_RELEASE);
	for (size_t i = 0; i < FIRST_ENTRIES; i++)
		first_entries[i] = 0;
	first_table.filled = 0;
	while (t != &first_table) {
		struct table *former = t->former;

		percpu__os_release(t, t->len);
		t = former;
	}
}
