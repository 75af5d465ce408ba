/* SPDX-License-Identifier: MIT */
/*
 * alloc_replay.c: the workloads that the Linux kernel's allocator was measured
 * with: a million objects (a quarter of 256 bytes and more), freed in the order
 * in which they were taken, every other one first, or in reverse; and the
 * half-full case: twice as many, every other one freed, as many taken again
 * into the holes.
 *
 *   first     taken from memory that was never used
 *   recycled  taken again after all were freed
 *
 * Each case is run in a process of its own, three times, and each number is
 * the middle one of the three: a case takes tenths of a second, in which
 * something else may have run. The thread's own time is taken.
 */
#include "alloc.h"

#include "alloc_peers.h"
#include "progress.h"
#include "table.h"

#include <percpu/percpu.h>

#include <math.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum order { IN_ORDER, EVERY_OTHER, IN_REVERSE, HALF_FULL, ORDERS };

static const char *const order_names[] = { "in order", "every other",
					   "in reverse", "half full" };

struct test {
	const struct peer *peer;
	size_t size;
	size_t n;
	enum order order;
};

/* ns an object; bytes of a unit an object. */
struct result {
	double alloc, free, again, free_again, bytes;
};

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void take(const struct test *t, void **p, size_t from, size_t end,
		 size_t step)
{
	for (size_t i = from; i < end; i += step) {
		p[i] = t->peer->alloc(t->size);
		if (p[i] == NULL)
			_exit(1);
	}
}

static void give(const struct test *t, void **p, size_t from, size_t end,
		 size_t step)
{
	for (size_t i = from; i < end; i += step)
		t->peer->free(p[i]);
}

static void give_all(const struct test *t, void **p)
{
	switch (t->order) {
	case EVERY_OTHER:
		give(t, p, 0, t->n, 2);
		give(t, p, 1, t->n, 2);
		break;
	case IN_REVERSE:
		for (size_t i = t->n; i > 0; i--)
			t->peer->free(p[i - 1]);
		break;
	default: give(t, p, 0, t->n, 1);
	}
}

/* Take and give all once; ns an object each. */
static void round_trip(const struct test *t, void **p, double *alloc,
		       double *gave)
{
	double start = now(), middle;

	take(t, p, 0, t->n, 1);
	middle = now();
	give_all(t, p);
	*alloc = (middle - start) / (double)t->n;
	*gave = (now() - middle) / (double)t->n;
}

/* Twice as many; what is timed is filling the holes, and freeing all. */
static void fill_holes(const struct test *t, void **p, struct result *r)
{
	double start, middle;

	take(t, p, 0, 2 * t->n, 1);
	start = now();
	give(t, p, 0, 2 * t->n, 2);
	r->free = (now() - start) / (double)t->n;
	start = now();
	take(t, p, 0, 2 * t->n, 2);
	middle = now();
	give(t, p, 0, 2 * t->n, 1);
	r->again = (middle - start) / (double)t->n;
	r->free_again = (now() - middle) / (double)(2 * t->n);
	r->alloc = NAN;
}

static double unit_bytes(const struct test *t)
{
	struct percpu_alloc_stats s;

	if (t->peer != &peer_percpu)
		return NAN;
	percpu_alloc_stats(&s);
	return (double)s.peak_bytes /
	       (double)(t->order == HALF_FULL ? 2 * t->n : t->n);
}

static void measure(const struct test *t, int cpu, int fd)
{
	size_t len = 2 * t->n * sizeof(void *);
	void **p = malloc(len);
	struct result r;
	cpu_set_t set;

	if (p == NULL)
		_exit(1);
	memset(p, 1, len);
	CPU_ZERO(&set);
	CPU_SET((size_t)cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
	if (t->order == HALF_FULL) {
		fill_holes(t, p, &r);
	} else {
		round_trip(t, p, &r.alloc, &r.free);
		round_trip(t, p, &r.again, &r.free_again);
	}
	r.bytes = unit_bytes(t);
	_exit(write(fd, &r, sizeof(r)) == sizeof(r) ? 0 : 1);
}

/* Run @t in a process of its own; false if it did not come to its end. */
static bool run_once(const struct bench *b, const struct test *t,
		     struct result *r)
{
	int ends[2], status;
	bool read_all;
	pid_t pid;

	if (pipe(ends) != 0)
		return false;
	pid = fork();
	if (pid == 0)
		measure(t, b->cpus[0], ends[1]);
	close(ends[1]);
	read_all = pid > 0 && read(ends[0], r, sizeof(*r)) == sizeof(*r);
	close(ends[0]);
	return pid > 0 && waitpid(pid, &status, 0) == pid && read_all;
}

static double middle_of(double a, double b, double c)
{
	return fmax(fmin(a, b), fmin(fmax(a, b), c));
}

static struct result run(const struct bench *b, const struct test *t)
{
	struct result r[3], none = { NAN, NAN, NAN, NAN, NAN };

	for (unsigned i = 0; i < 3; i++)
		if (!run_once(b, t, &r[i]))
			return none;
#define MIDDLE(field) middle_of(r[0].field, r[1].field, r[2].field)
	return (struct result){ MIDDLE(alloc), MIDDLE(free), MIDDLE(again),
				MIDDLE(free_again), r[0].bytes };
#undef MIDDLE
}

static void add_row(const struct bench *b, struct table *t, struct test test)
{
	struct result r = run(b, &test);
	char name[40];

	snprintf(name, sizeof(name), "%zu bytes, %s", test.size,
		 order_names[test.order]);
	table_row(
		t, name,
		(double[]){ r.alloc, r.free, r.again, r.free_again, r.bytes });
}

static const size_t sizes[] = { 4, 16, 64, 256, 1024 };

#define SIZES (sizeof(sizes) / sizeof(sizes[0]))

static size_t objects(const struct bench *b, size_t size)
{
	size_t n = size <= 64 ? 1000000 : 256000;

	return b->quick ? n / 50 : n;
}

static void add_rows(const struct bench *b, struct table *t,
		     const struct peer *peer)
{
	for (unsigned i = 0; i < SIZES * ORDERS; i++) {
		size_t size = sizes[i / ORDERS];

		progress_show(b, t->title, (double)i / (SIZES * ORDERS));
		add_row(b, t,
			(struct test){ peer, size, objects(b, size),
				       (enum order)(i % ORDERS) });
	}
	progress_clear(b);
}

static const char *const says =
	"    first: from memory never used; recycled: after all were freed. "
	"Half full: of twice\n"
	"    as many, every other one freed, as many taken into the holes, all "
	"freed.\n";

void alloc_replays(const struct bench *b)
{
	struct table ours = {
		.key = "replay_percpu",
		.title = b->quick ?
				 "percpu_alloc, 20,000 and 5,000 objects" :
				 "percpu_alloc, 1,000,000 and 256,000 objects",
		.unit = "ns per object",
		.says = says,
		.columns = { "first", "free", "recycled", "free again",
			     "bytes" },
		.goals = { 50, 25, 50, 25, NAN },
	};
	struct table control = ours;

	control.key = "replay_malloc";
	control.title = "malloc, the same";
	control.says = "";
	for (unsigned i = 0; i < TABLE_COLUMNS; i++)
		control.goals[i] = NAN;
	table_begin(&ours);
	add_rows(b, &ours, &peer_percpu);
	table_end(&ours, b);
	table_begin(&control);
	add_rows(b, &control, &peer_malloc);
	table_end(&control, b);
}
