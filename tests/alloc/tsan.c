/* SPDX-License-Identifier: MIT */
/*
 * tsan.c: ThreadSanitizer, which this program is compiled for and the library
 * is not, has nothing to say of an object that one thread writes and frees, and
 * another has then, of whatever sizes.
 */
#include "check.h"

#include <percpu/percpu.h>
#include <pthread.h>
#include <string.h>

enum { THREADS = 3, ROUNDS = 1500, KEPT = 16 };

static const size_t sizes[] = { 8, 8, 24, 100, 900, 9000 };

struct object {
	char PERCPU *h;
	size_t size;
};

static void renew(struct object *o, unsigned n)
{
	percpu_free(o->h);
	o->size = sizes[n % (sizeof(sizes) / sizeof(*sizes))];
	o->h = (char PERCPU *)percpu_alloc(o->size, 8);
	CHECK(o->h != NULL);
	CHECK(*percpu_ptr(o->h, 0) == 0);
	memset(percpu_ptr(o->h, 0), 1, o->size);
}

static void *work(void *arg)
{
	struct object kept[KEPT] = { { NULL, 0 } };
	unsigned n = (unsigned)(uintptr_t)arg;

	for (unsigned i = 0; i < ROUNDS; i++) {
		n = n * 1103515245 + 12345;
		renew(&kept[(n >> 8) % KEPT], n >> 16);
		if (i % 256 == 0)
			percpu_trim();
	}
	for (unsigned i = 0; i < KEPT; i++)
		percpu_free(kept[i].h);
	return NULL;
}

int main(void)
{
	pthread_t thread[THREADS];

	for (uintptr_t i = 0; i < THREADS; i++)
		CHECK(pthread_create(&thread[i], NULL, work, (void *)i) == 0);
	for (unsigned i = 0; i < THREADS; i++)
		CHECK(pthread_join(thread[i], NULL) == 0);
	return TEST_PASS;
}
