/* SPDX-License-Identifier: MIT */
#ifndef PERCPU_SRC_REGISTRY_H
#define PERCPU_SRC_REGISTRY_H
/*
 * registry.h: which chunks there are. Asking needs no lock; changes are made
 * under the caller's.
 */
#include "chunk.h"

#include <percpu/base.h>

/*
 * Have room for one more chunk than there are; 0 or -ENOMEM. Without the lock;
 * call again if another thread may have used that room.
 */
int percpu__registry_reserve(void);

/* Enter @c; false if there is no room. */
bool percpu__registry_add(const struct percpu__chunk *c);

void percpu__registry_remove(const struct percpu__chunk *c);

struct percpu__registry {
	size_t mask; /* of places */
	uintptr_t *entries;
};

extern const struct percpu__registry *percpu__registry;

/* Where a search for @base starts, before the mask. */
static inline size_t percpu__registry_hash(uintptr_t base)
{
	return (size_t)((uint64_t)base * 0x9e3779b97f4a7c15u >> 40);
}

/* Whether a chunk begins at @base, which is not at its first place. */
bool percpu__registry_search(const char *base);

/* Whether @h lies in the guard of a chunk. Any thread, without the lock. */
static inline bool percpu__registry_has(const void *h)
{
	const struct percpu__registry *r =
		__atomic_load_n(&percpu__registry, __ATOMIC_ACQUIRE);
	uintptr_t base = (uintptr_t)percpu__chunk_base(h);
	size_t i = percpu__registry_hash(base) & r->mask;

	if (percpu__chunk_offset(h) >= percpu__rt.stride)
		return false;
	if (__builtin_expect(
		    __atomic_load_n(&r->entries[i], __ATOMIC_ACQUIRE) == base &&
			    base != 0,
		    1))
		return true;
	return percpu__registry_search((const char *)base);
}

/*
 * The chunks one by one: the first at or after place *@at, which then is the
 * place after it; NULL if there are no more.
 */
struct percpu__chunk *percpu__registry_next(size_t *at);

/* Give back what the registry itself has; there are no chunks. */
void percpu__registry_release(void);

#endif
