/* SPDX-License-Identifier: MIT */
/*
 * sync.c: reads are within the bounds after syncs of threads that add as well,
 * since there a sync leaves them alone.
 * In a child of fork a sync sets right what a fork cut off, once, however many
 * syncs there are at a time, and leaves it where somebody adds meanwhile.
 */
#include "check.h"
#include "crowd.h"
#include "os.h"

#include <percpu/percpu.h>

#include <sys/wait.h>
#include <unistd.h>

enum { CUT = 1000, STEPS = 100000 };

static struct percpu_counter_tree tree;
static void (*meanwhile)(void); /* in the middle of a sync */

__typeof__(percpu__os_doze) __wrap_percpu__os_doze;

void __wrap_percpu__os_doze(void)
{
	void (*now)(void) = meanwhile;

	meanwhile = NULL;
	if (now != NULL)
		now();
}

static int64_t off(void)
{
	return percpu_counter_tree_read(&tree) - percpu_counter_tree_sum(&tree);
}

static void check_within(void)
{
	CHECK(off() <= percpu_counter_tree_error_bound(&tree));
	CHECK(-off() <= percpu_counter_tree_error_bound(&tree));
}

static void step(struct crowd_member *me)
{
	percpu_counter_tree_add(&tree, 5);
	me->added += 5;
	if (me->steps % 8 == 0 && me->steps < STEPS / 2)
		percpu_counter_tree_sync(&tree);
}

static void check_threads(void)
{
	static struct crowd c = { .step = step, .steps = STEPS };

	crowd_run(&c);
	CHECK_EQ(percpu_counter_tree_sum(&tree), crowd_added(&c));
	check_within();
}

static void add(void)
{
	percpu_counter_tree_add(&tree, 7);
}

static void sync_it(void)
{
	percpu_counter_tree_sync(&tree);
}

/* What is missing here is on its way. */
static void check_own(void)
{
	int64_t before = off();

	tree.nodes->value -= CUT;
	sync_it();
	CHECK_EQ(off(), before - CUT);
	tree.nodes->value += CUT;
}

static void check_child(void)
{
	int64_t before = off();

	tree.nodes->value -= CUT;
	meanwhile = add;
	sync_it();
	CHECK(meanwhile == NULL);
	CHECK(off() < before - CUT / 2);
	meanwhile = sync_it;
	sync_it();
	CHECK(meanwhile == NULL);
	check_within();
	sync_it();
	check_within();
	_exit(TEST_PASS);
}

int main(void)
{
	int status;
	pid_t child;

	CHECK(percpu_counter_tree_init(&tree, 0, 2) == 0);
	check_threads();
	check_own();
	child = fork();
	if (child == 0)
		check_child();
	CHECK(waitpid(child, &status, 0) == child);
	CHECK_EQ(status, 0);
	percpu_counter_tree_destroy(&tree);
	return TEST_PASS;
}
