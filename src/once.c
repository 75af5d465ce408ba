/* SPDX-License-Identifier: MIT */
/*
 * once.c: words that go from 0 to what they are for ever.
 *
 * 1. Whoever comes second finds a word that is not 0, or fails to change it:
 *    there is one write.
 * 2. Who does not write acquires what the one who wrote has released. So
 *    whoever has been through all words has all writes behind it, and so has
 *    everybody to whom it passes that on.
 *
 * ThreadSanitizer would take the compare-and-swap that fails for a write, so it
 * is not told of these.
 *
 * Rejected: each stores the same. That is a race all the same, between who
 * comes late and who reads plainly what another has published.
 */
#include "once.h"

#include <stdbool.h>

#define UNSEEN __attribute__((no_sanitize("thread"), noinline))

UNSEEN void percpu__once_32(uint32_t *word, uint32_t v)
{
	uint32_t none = 0;

	if (__atomic_load_n(word, __ATOMIC_ACQUIRE) == 0)
		__atomic_compare_exchange_n(word, &none, v, false,
					    __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}

UNSEEN void percpu__once_64(uint64_t *word, uint64_t v)
{
	uint64_t none = 0;

	if (__atomic_load_n(word, __ATOMIC_ACQUIRE) == 0)
		__atomic_compare_exchange_n(word, &none, v, false,
					    __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}
