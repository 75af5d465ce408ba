/* SPDX-License-Identifier: MIT */
/*
 * held.c: between what limited_add sees and what it does, a counter gets no
 * per-CPU part, and who looks at it meanwhile allocates none. A child of fork
 * gives it one, whatever threads of the parent held it.
 */
#include "check.h"
#include "counter.h"
#include "live.h"

#include <percpu/percpu.h>
#include <sys/wait.h>
#include <unistd.h>

static struct percpu_counter counter = PERCPU_COUNTER_INITIALIZER(5);

static bool has_part(void)
{
	return percpu__counter_part(&counter) != NULL;
}

static void check_held(void)
{
	size_t before = live();

	percpu_counter_sync(&counter);
	percpu_counter_add(&counter, 3);
	CHECK_EQ(percpu_counter_read(&counter), 8);
	CHECK_EQ(percpu_counter_sum(&counter), 8);
	CHECK(percpu_counter_limited_add(&counter, 10, 2));
	CHECK(!percpu_counter_limited_add(&counter, 10, 1));
	CHECK_EQ(percpu_counter_exchange(&counter, 5), 10);
	CHECK(!has_part());
	CHECK_EQ(live(), before);
}

static void check_child(uintptr_t hold)
{
	uintptr_t own = percpu__counter_hold(&counter);

	CHECK(own != 0);
	percpu__counter_hold_end(&counter, hold);
	check_held();
	percpu__counter_hold_end(&counter, own);
	percpu_counter_sync(&counter);
	CHECK(has_part());
	percpu__counter_hold_end(&counter, hold);
	percpu_counter_add(&counter, 3);
	CHECK_EQ(percpu_counter_sum(&counter), 8);
	_exit(TEST_PASS);
}

static void check_orphan(uintptr_t hold)
{
	(void)hold;
	percpu_counter_sync(&counter);
	CHECK(has_part());
	_exit(TEST_PASS);
}

static void in_child(void (*fn)(uintptr_t), uintptr_t hold)
{
	int status;
	pid_t pid = fork();

	CHECK(pid >= 0);
	if (pid == 0)
		fn(hold);
	CHECK(waitpid(pid, &status, 0) == pid && status == 0);
}

int main(void)
{
	uintptr_t first = percpu__counter_hold(&counter);
	uintptr_t second = percpu__counter_hold(&counter);

	CHECK(first != 0 && second != 0);
	check_held();
	in_child(check_orphan, first);
	in_child(check_child, first);
	percpu__counter_hold_end(&counter, first);
	check_held();
	percpu__counter_hold_end(&counter, second);
	percpu_counter_sync(&counter);
	CHECK(has_part());
	CHECK(percpu__counter_hold(&counter) == 0);
	CHECK_EQ(percpu_counter_sum(&counter), 5);
	return TEST_PASS;
}
