/* SPDX-License-Identifier: MIT */
/*
 * call_many.c: one function on many CPUs, on any, on those that a condition
 * names. The set is copied before anything is sent: its owner may change it
 * meanwhile, and what is sent and what is waited for must be the same.
 */
#include "call.h"

#include "mutex.h"
#include "os.h"
#include "topology.h"

#include <errno.h>

/* So many csds that are waited for lie on the caller's stack. */
#define NEAR 64u

/* One that was sent, in process @family. On a line of its own. */
struct sent {
	struct percpu_csd csd;
	uint32_t family;
} PERCPU_LINE_ALIGNED;

struct targets {
	struct percpu__cpus set;
	unsigned nr; /* ids are below it */
	unsigned count;
};

static bool has(const struct targets *t, unsigned cpu)
{
	return cpu < t->nr && percpu__cpus_has(&t->set, cpu);
}

static bool leave_out(struct targets *t, unsigned cpu)
{
	if (!has(t, cpu))
		return false;
	t->set.bits[cpu / PERCPU__CPUS_WORD] &=
		~(1ul << cpu % PERCPU__CPUS_WORD);
	t->count--;
	return true;
}

/* The words are there: how many ids they have, and CPUs in them. */
static void measure(struct targets *t, unsigned nr)
{
	t->nr = nr;
	t->count = 0;
	for (unsigned cpu = 0; cpu < nr; cpu++)
		t->count += has(t, cpu);
}

static void copy(struct targets *t, const cpu_set_t *set, size_t setsize)
{
	const unsigned long *words = (const unsigned long *)set;
	size_t n = setsize / sizeof(*words);
	unsigned nr = percpu_nr_cpu_ids();

	if (nr > n * PERCPU__CPUS_WORD)
		nr = (unsigned)(n * PERCPU__CPUS_WORD);
	for (size_t i = 0; i < (nr + PERCPU__CPUS_WORD - 1) / PERCPU__CPUS_WORD;
	     i++)
		t->set.bits[i] = __atomic_load_n(&words[i], __ATOMIC_RELAXED);
	measure(t, nr);
}

/* The first error counts; that there is no such CPU is none. */
static void note(int *first, int err)
{
	if (err < 0 && err != -ENXIO && *first == 0)
		*first = err;
}

/* -ENOMEM says that nothing has run: here it is one CPU's. */
static void note_sent(int *first, int err)
{
	note(first, err == -ENOMEM ? -EAGAIN : err);
}

static int send(struct sent *s, unsigned cpu, unsigned src,
		struct percpu__call_self *self)
{
	s->family = percpu__mutex_family();
	percpu__call_csd_expect(&s->csd, self);
	return percpu__call_send(cpu, &s->csd, src, &s->family);
}

static int send_and_wait(const struct targets *t, percpu_fn *fn, void *arg,
			 struct percpu__call_self *self, struct sent *s)
{
	unsigned src = percpu__call_src(self);
	unsigned sent = 0;
	int first = 0;

	for (unsigned cpu = 0; cpu < t->nr; cpu++) {
		int err;

		if (!has(t, cpu))
			continue;
		percpu_csd_init(&s[sent].csd, fn, arg);
		err = send(&s[sent], cpu, src, self);
		sent += err == 0;
		note_sent(&first, err);
	}
	for (unsigned i = 0; i < sent; i++)
		note(&first, percpu__call_await(self, &s[i].csd, s[i].family));
	return first;
}

static int call_near(const struct targets *t, percpu_fn *fn, void *arg,
		     struct percpu__call_self *self)
{
	struct sent s[NEAR];

	return send_and_wait(t, fn, arg, self, s);
}

static int call_far(const struct targets *t, percpu_fn *fn, void *arg,
		    struct percpu__call_self *self)
{
	size_t bytes = percpu__os_pages(t->count * sizeof(struct sent));
	struct sent *s = percpu__os_map(bytes);
	int ret;

	if (s == NULL)
		return -ENOMEM;
	ret = send_and_wait(t, fn, arg, self, s);
	percpu__os_release(s, bytes);
	return ret;
}

static int call_and_wait(const struct targets *t, percpu_fn *fn, void *arg)
{
	struct percpu__call_self *self = percpu__call_table_self();
	int err = percpu__call_may_wait(self);

	if (err < 0)
		return err;
	return t->count <= NEAR ? call_near(t, fn, arg, self) :
				  call_far(t, fn, arg, self);
}

static int call_and_go(const struct targets *t, percpu_fn *fn, void *arg)
{
	struct percpu__call_node *list =
		percpu__call_pool_get(t->count, fn, arg);
	int first = 0;

	if (list == NULL)
		return -ENOMEM;
	for (unsigned cpu = 0; cpu < t->nr; cpu++) {
		struct percpu__call_node *next;
		int err;

		if (!has(t, cpu))
			continue;
		next = list->next;
		err = percpu_call_async(cpu, &list->csd);
		note_sent(&first, err);
		if (err == 0)
			list = next;
	}
	percpu__call_pool_put(list);
	return first;
}

static int call(struct targets *t, percpu_fn *fn, void *arg, unsigned flags)
{
	if ((flags & PERCPU_CALL_OTHERS) != 0)
		leave_out(t, percpu__call_src(percpu__call_table_self()));
	if (t->count == 0)
		return 0;
	return (flags & PERCPU_CALL_NOWAIT) != 0 ? call_and_go(t, fn, arg) :
						   call_and_wait(t, fn, arg);
}

static bool known(unsigned flags)
{
	return (flags & ~(PERCPU_CALL_NOWAIT | PERCPU_CALL_OTHERS)) == 0;
}

int percpu_call_many(const cpu_set_t *set, size_t setsize, percpu_fn *fn,
		     void *arg, unsigned flags)
{
	struct targets t;

	if (!known(flags))
		return -EINVAL;
	copy(&t, set, setsize);
	return call(&t, fn, arg, flags);
}

int percpu_call_each(bool (*cond)(unsigned cpu, void *arg), percpu_fn *fn,
		     void *arg, unsigned flags)
{
	struct targets t;

	if (!known(flags))
		return -EINVAL;
	percpu__topology_online_set(&t.set);
	measure(&t, percpu_nr_cpu_ids());
	for (unsigned cpu = 0; cpu < t.nr; cpu++)
		if (has(&t, cpu) && cond != NULL && !cond(cpu, arg))
			leave_out(&t, cpu);
	return call(&t, fn, arg, flags);
}

/* Nodes are looked up in files: once for each CPU. */
static int node_of(unsigned cpu)
{
	struct percpu__call_queue *q;
	uint32_t node;

	if (cpu >= percpu__call_table_nr())
		return percpu_cpu_to_node(cpu);
	q = percpu__call_table_at(cpu);
	node = __atomic_load_n(&q->node, __ATOMIC_RELAXED);
	if (node == 0) {
		node = (uint32_t)percpu_cpu_to_node(cpu) + 1;
		__atomic_store_n(&q->node, node, __ATOMIC_RELAXED);
	}
	return (int)node - 1;
}

/* Call @cpu if it is in the set: its number, or -ENXIO to try another. */
static int try(struct targets *t, unsigned cpu, percpu_fn *fn, void *arg)
{
	int err = leave_out(t, cpu) ? percpu_call(cpu, fn, arg) : -ENXIO;

	return err == 0 ? (int)cpu : err;
}

int percpu_call_any(const cpu_set_t *set, size_t setsize, percpu_fn *fn,
		    void *arg)
{
	struct targets t;
	unsigned here = percpu__call_src(percpu__call_table_self());
	int ret;

	copy(&t, set, setsize);
	ret = try(&t, here, fn, arg);
	if (ret == -ENXIO && t.count > 1) {
		int node = node_of(here);

		for (unsigned cpu = 0; cpu < t.nr && ret == -ENXIO; cpu++)
			if (has(&t, cpu) && node_of(cpu) == node)
				ret = try(&t, cpu, fn, arg);
	}
	for (unsigned cpu = 0; cpu < t.nr && ret == -ENXIO; cpu++)
		ret = try(&t, cpu, fn, arg);
	return ret;
}
