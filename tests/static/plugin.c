/* SPDX-License-Identifier: MIT */
/*
 * plugin.c: a plug-in with variables of its own, which its constructors and
 * destructors use, too; WITH_TREE: and with a counter, gone at its destructor;
 * WITH_OBJECTS: and with a static counter and an adaptive reference, for which
 * the library keeps per-CPU parts at hand.
 */
#include <percpu/counter_tree.h>
#include <percpu/ops.h>
#include <percpu/static.h>
#ifdef WITH_OBJECTS
#include <percpu/counter.h>
#include <percpu/ref.h>
#endif

static PERCPU_DEFINE(uint64_t, count);
static PERCPU_DEFINE(uint32_t, seven) = 7;
static PERCPU_DEFINE_CACHELINE(char[3000], large);

int plugin_fresh(void);
uint64_t plugin_add(unsigned n);

/* Whether all slots are as they start. */
int plugin_fresh(void)
{
	uint64_t *c;
	uint32_t *s;
	char(*l)[3000];
	char all = 0;
	unsigned sevens = 0;

	percpu_for_each_slot (c, percpu_var(count)) {
		if (*c != 0)
			return 0;
	}
	percpu_for_each_slot (s, percpu_var(seven)) {
		sevens += *s == 7;
	}
	percpu_for_each_slot (l, percpu_var(large)) {
		for (unsigned i = 0; i < sizeof(*l); i++)
			all = (char)(all | (*l)[i]);
	}
	return sevens == percpu__rt.nr_slots &&
	       *percpu_shared_ptr(percpu_var(seven)) == 0 && all == 0;
}

uint64_t plugin_add(unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		percpu_inc(percpu_var(count));
		percpu_add(percpu_var(seven), 5);
		(*percpu_this_ptr(percpu_var(large)))[i % 3000] = 1;
	}
	return percpu_sum(percpu_var(count));
}

static void __attribute__((constructor)) begin(void)
{
	percpu_inc(percpu_var(count));
	percpu_dec(percpu_var(count));
}

static void __attribute__((destructor)) end(void)
{
	percpu_inc(percpu_var(count));
}

#ifdef WITH_TREE
static struct percpu_counter_tree tree;

static void __attribute__((constructor)) begin_tree(void)
{
	if (percpu_counter_tree_init(&tree, 0, 32) == 0)
		percpu_counter_tree_add(&tree, 1000);
}

static void __attribute__((destructor)) end_tree(void)
{
	percpu_counter_tree_destroy(&tree);
}
#endif

#ifdef WITH_OBJECTS
static struct percpu_counter counter = PERCPU_COUNTER_INITIALIZER(0);
static struct percpu_ref ref;

static void released(struct percpu_ref *r)
{
	percpu_ref_exit(r);
}

static void __attribute__((constructor)) begin_objects(void)
{
	percpu_counter_inc(&counter);
	percpu_counter_sync(&counter);
	percpu_ref_init(&ref, released, PERCPU_REF_ADAPTIVE);
}

static void __attribute__((destructor)) end_objects(void)
{
	percpu_ref_kill(&ref);
	percpu_counter_destroy(&counter);
}
#endif
