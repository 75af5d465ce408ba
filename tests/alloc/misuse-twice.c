/* SPDX-License-Identifier: MIT */
/*
 * Conformance 11: an object freed twice, of each kind of size: at once, after
 * other traffic, by another thread. Objects beside it are unharmed; so is the
 * other half of eight bytes that two objects of four share.
 */
#include "apart.h"

#include <pthread.h>

enum { OTHERS = 500 };

struct trio {
	char PERCPU *before;
	char PERCPU *h; /* freed */
	char PERCPU *after;
	size_t size;
};

/* Three of @size, most often side by side; the middle one is freed. */
static struct trio make(size_t size)
{
	struct trio t = { .size = size };

	t.before = must_alloc(size, 1);
	t.h = must_alloc(size, 1);
	t.after = must_alloc(size, 1);
	fill(t.before, size, 1);
	fill(t.h, size, 2);
	fill(t.after, size, 3);
	percpu_free(t.h);
	return t;
}

static void check_neighbours(const struct trio *t)
{
	CHECK(is_filled(t->before, t->size, 1));
	CHECK(is_filled(t->after, t->size, 3));
}

static void end(const struct trio *t)
{
	check_neighbours(t);
	percpu_free(t->before);
	percpu_free(t->after);
}

/* With a warning: the object is had again once, and no other is hurt. */
static void free_and_go_on(void *arg)
{
	struct trio *t = arg;
	char PERCPU *one;
	char PERCPU *two;

	percpu_free(t->h);
	percpu_free(t->h);
	one = must_alloc(t->size, 1);
	two = must_alloc(t->size, 1);
	CHECK(is_filled(one, t->size, 0) && is_filled(two, t->size, 0));
	fill(one, t->size, 5);
	fill(two, t->size, 6);
	CHECK(is_filled(one, t->size, 5));
	end(t);
	percpu_free(one);
	percpu_free(two);
}

static void check_size(size_t size)
{
	struct trio t = make(size);

	check_bad_free(t.h, "was freed already");
	check_misuse(free_and_go_on, &t, t.h, "was freed already");
	end(&t);
}

/* Nothing of it fits into the place that @t->h left. */
static void trade(const struct trio *t)
{
	char PERCPU *other[OTHERS];

	for (unsigned i = 0; i < OTHERS; i++)
		other[i] = must_alloc(t->size + 8 + i % 900, 8);
	for (unsigned i = 0; i < OTHERS; i++)
		percpu_free(other[(i * 7) % OTHERS]);
}

static void check_after_traffic(size_t size)
{
	struct trio t = make(size);

	trade(&t);
	check_bad_free(t.h, "was freed already");
	end(&t);
}

static void *free_in_thread(void *h)
{
	percpu_free(h);
	return NULL;
}

static void free_elsewhere(void *h)
{
	pthread_t thread;

	CHECK(pthread_create(&thread, NULL, free_in_thread, h) == 0);
	CHECK(pthread_join(thread, NULL) == 0);
}

static void free_twice_elsewhere(void *h)
{
	free_elsewhere(h);
	free_elsewhere(h);
}

static void check_threads(size_t size)
{
	char PERCPU *h = must_alloc(size, 1);
	struct trio t = make(size);

	check_misuse(free_elsewhere, t.h, t.h, "was freed already");
	check_misuse(free_twice_elsewhere, h, h, "was freed already");
	percpu_free(h);
	end(&t);
}

/* Halves of eight bytes; which is freed says nothing about the other. */
static void check_halves(void)
{
	char PERCPU *h[64];

	for (unsigned i = 0; i < 64; i++) {
		h[i] = must_alloc(4, 4);
		fill(h[i], 4, (int)i + 1);
	}
	for (unsigned i = 0; i < 64; i += 2)
		percpu_free(h[i]);
	for (unsigned i = 0; i < 64; i += 2) {
		check_bad_free(h[i], "was freed already");
		CHECK(is_filled(h[i + 1], 4, (int)i + 2));
		percpu_free(h[i + 1]);
		check_bad_free(h[i + 1], "was freed already");
	}
}

int main(void)
{
	static const size_t sizes[] = { 1,    4,    8,	  12,	16,   40,
					64,   100,  128,  256,	1016, 1024,
					1025, 1032, 4096, 5000, 20000 };

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		check_size(sizes[i]);
	check_size(percpu_max_size());
	check_after_traffic(8);
	check_after_traffic(200);
	check_after_traffic(2000);
	check_threads(8);
	check_threads(3000);
	check_halves();
	return TEST_PASS;
}
