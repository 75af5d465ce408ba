/* SPDX-License-Identifier: MIT */
/*
 * Eight threads allocate, write, free and hand objects to each other, and move
 * from CPU to CPU as they do, while a ninth trims and reads the numbers: every
 * object is zero and nobody else's when it comes, keeps what is written to it
 * whoever owns it, and at the end nothing is left.
 *
 * usage: fuzz-threads [OPS-PER-THREAD [SEED]]
 */
#include "books.h"
#include "model.h"
#include "random.h"
#include "slots.h"

#include <pthread.h>
#include <sched.h>
#include <unistd.h>

enum { THREADS = 8, OBJECTS = 600, INBOX = 64 };

struct worker {
	pthread_t id;
	uint64_t state;
	struct object *has[OBJECTS];
	unsigned count;
	unsigned most;	      /* to have now */
	pthread_mutex_t lock; /* guards what follows */
	struct object *inbox[INBOX];
	unsigned arrived;
};

static struct worker workers[THREADS];
static unsigned long long ops = 20000;
static cpu_set_t cpus;
static int stop;

static size_t draw_size(uint64_t *state)
{
	unsigned kind = pick(state, 100);

	if (one_in(state, 1000 + 20 * percpu_nr_slots()))
		return 1 + draw(state) % percpu_max_size();
	if (kind < 40)
		return 8;
	if (kind < 50)
		return 1 + pick(state, 4);
	return 1 + (kind < 98 ? pick(state, 1100) : pick(state, 8000));
}

static void take(struct worker *w)
{
	size_t size = draw_size(&w->state);
	size_t align = (size_t)1 << pick(&w->state, 7);
	struct object *o = calloc(1, sizeof(*o));

	CHECK(o != NULL);
	model_enter(o, must_alloc(size, align), size, align);
	model_write(o, draw(&w->state));
	w->has[w->count++] = o;
}

static struct object *pull(struct worker *w)
{
	unsigned at = pick(&w->state, w->count);
	struct object *o = w->has[at];

	/* Often the newest one: what came last goes first. */
	if (one_in(&w->state, 2))
		return w->has[--w->count];
	w->has[at] = w->has[--w->count];
	return o;
}

static void give(struct object *o)
{
	model_leave(o);
	percpu_free(o->h);
	free(o);
}

/* Whether there was room for @o. */
static bool send(struct worker *to, struct object *o)
{
	bool room;

	pthread_mutex_lock(&to->lock);
	room = to->arrived < INBOX;
	if (room)
		to->inbox[to->arrived++] = o;
	pthread_mutex_unlock(&to->lock);
	return room;
}

static void receive(struct worker *w)
{
	pthread_mutex_lock(&w->lock);
	while (w->arrived > 0 && w->count < OBJECTS)
		w->has[w->count++] = w->inbox[--w->arrived];
	pthread_mutex_unlock(&w->lock);
}

static void move(uint64_t *state)
{
	size_t cpu = pick(state, CPU_SETSIZE);
	cpu_set_t one;

	while (!CPU_ISSET(cpu, &cpus))
		cpu = (cpu + 1) % CPU_SETSIZE;
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	sched_setaffinity(0, sizeof(one), &one);
}

static void hand_on(struct worker *w)
{
	struct object *o = pull(w);

	if (!send(&workers[pick(&w->state, THREADS)], o))
		give(o);
}

static void step(struct worker *w)
{
	unsigned what = pick(&w->state, 100);

	if (w->count == 0 || (what < 50 && w->count < w->most))
		take(w);
	else if (what < 80)
		give(pull(w));
	else if (what < 90)
		hand_on(w);
	else if (what < 95)
		model_write(w->has[pick(&w->state, w->count)], draw(&w->state));
	else
		receive(w);
}

/* Many objects, or a few; of those there are some go at once. */
static void begin_phase(struct worker *w)
{
	w->most = OBJECTS >> pick(&w->state, 9);
	while (w->count > w->most)
		give(pull(w));
}

static void *work(void *arg)
{
	struct worker *w = arg;

	for (unsigned long long op = 0; op < ops; op++) {
		if (op % 64 == 0)
			move(&w->state);
		if (op % 2048 == 0)
			begin_phase(w);
		step(w);
	}
	while (w->count > 0)
		give(pull(w));
	return NULL;
}

static void *watch(void *arg)
{
	while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
		books_trim();
		books_look();
		usleep(100);
	}
	return arg;
}

int main(int argc, char **argv)
{
	uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 0) : 1;
	pthread_t watcher;

	if (argc > 1)
		ops = strtoull(argv[1], NULL, 0);
	fprintf(stderr, "seed %ju\n", (uintmax_t)seed);
	CHECK(sched_getaffinity(0, sizeof(cpus), &cpus) == 0);
	CHECK(pthread_create(&watcher, NULL, watch, NULL) == 0);
	for (unsigned i = 0; i < THREADS; i++) {
		workers[i].state = mix(seed * THREADS + i);
		pthread_mutex_init(&workers[i].lock, NULL);
	}
	for (unsigned i = 0; i < THREADS; i++)
		CHECK(pthread_create(&workers[i].id, NULL, work, &workers[i]) ==
		      0);
	for (unsigned i = 0; i < THREADS; i++)
		CHECK(pthread_join(workers[i].id, NULL) == 0);
	__atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
	CHECK(pthread_join(watcher, NULL) == 0);
	for (unsigned i = 0; i < THREADS; i++)
		while (workers[i].arrived > 0)
			give(workers[i].inbox[--workers[i].arrived]);
	books_check_empty();
	return TEST_PASS;
}
