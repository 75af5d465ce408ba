/* SPDX-License-Identifier: MIT */
/*
 * Eight threads allocate and free at once. A map of what is live, beside the
 * library's book, shows any overlap; every object is zero when it comes and as
 * its owner left it when it goes.
 */
#include "slots.h"

#include <pthread.h>

#define THREADS 8u
#define LIVE 32u
#define STEPS 4000u

/* An entry is there from after its allocation until before its free. */
struct entry {
	uintptr_t h; /* 0: none */
	size_t size;
};

static struct entry map[THREADS][LIVE];

static bool overlaps(const struct entry *e, uintptr_t h, size_t size)
{
	uintptr_t at = __atomic_load_n(&e->h, __ATOMIC_SEQ_CST);
	size_t len = __atomic_load_n(&e->size, __ATOMIC_SEQ_CST);

	/* The entry may have changed between the two loads. */
	if (at == 0 || at != __atomic_load_n(&e->h, __ATOMIC_SEQ_CST))
		return false;
	return at < h + size && h < at + len;
}

/* Of two that overlap, the later one to enter sees the other. */
static void enter(struct entry *e, uintptr_t h, size_t size)
{
	__atomic_store_n(&e->size, size, __ATOMIC_SEQ_CST);
	__atomic_store_n(&e->h, h, __ATOMIC_SEQ_CST);
	for (unsigned t = 0; t < THREADS; t++)
		for (unsigned i = 0; i < LIVE; i++)
			if (&map[t][i] != e && overlaps(&map[t][i], h, size))
				FAIL("%zu bytes overlap another object", size);
}

static unsigned pick(uint64_t *state, unsigned below)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)((*state >> 33) % below);
}

static void take(struct entry *e, uint64_t *state, int byte)
{
	size_t size = 1 + pick(state, pick(state, 8) == 0 ? 3000 : 60);
	char PERCPU *h = must_alloc(size, (size_t)1 << pick(state, 7));

	enter(e, (uintptr_t)h, size);
	CHECK(is_filled(h, size, 0));
	fill(h, size, byte);
}

static void give(struct entry *e, int byte)
{
	char PERCPU *h = (char PERCPU *)e->h;

	CHECK(is_filled(h, e->size, byte));
	__atomic_store_n(&e->h, 0, __ATOMIC_SEQ_CST);
	percpu_free(h);
}

static void *body(void *arg)
{
	unsigned self = (unsigned)(uintptr_t)arg;
	uint64_t state = self;

	for (unsigned step = 0; step < STEPS; step++) {
		struct entry *e = &map[self][pick(&state, LIVE)];

		if (e->h != 0)
			give(e, (int)self + 1);
		else
			take(e, &state, (int)self + 1);
	}
	for (unsigned i = 0; i < LIVE; i++)
		if (map[self][i].h != 0)
			give(&map[self][i], (int)self + 1);
	return NULL;
}

int main(void)
{
	pthread_t thread[THREADS];
	char PERCPU *h;

	for (unsigned t = 0; t < THREADS; t++)
		CHECK(pthread_create(&thread[t], NULL, body,
				     (void *)(uintptr_t)t) == 0);
	for (unsigned t = 0; t < THREADS; t++)
		CHECK(pthread_join(thread[t], NULL) == 0);
	/* Everything came back: the largest object fits into one of the chunks. */
	h = must_alloc(percpu_max_size(), 1);
	CHECK(is_filled(h, percpu_max_size(), 0));
	return TEST_PASS;
}
