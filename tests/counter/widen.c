/* SPDX-License-Identifier: MIT */
/*
 * widen.c: a larger batch makes the bound larger before its add shows; of two
 * that do so at once the larger stays; and compare and limited_add ask for the
 * bound after they have read.
 *
 * What comes in between comes from the fault that a page gives which may not be
 * read, or written, at that moment.
 */
#include "check.h"
#include "counter.h"
#include "crowd.h"
#include "slot.h"

#include <percpu/percpu.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

enum { SMALL = 40, LARGE = 1 << 20 };

static struct percpu_counter *counter; /* on a page of its own */

static void (*meanwhile)(void);
static bool came;

static size_t page_size(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

static void protect(const void *p, int how)
{
	CHECK(mprotect((void *)((uintptr_t)p & ~(page_size() - 1)), page_size(),
		       how) == 0);
}

static void *slot(unsigned i)
{
	return percpu__slot_object(percpu__counter_part(counter), i);
}

/* The counter itself, its slots, and what all share. */
static void protect_slots(int how)
{
	for (unsigned i = 0; i <= percpu_nr_slots(); i++)
		protect(slot(i), how);
}

static void on_fault(int signal)
{
	(void)signal;
	protect(counter, PROT_READ | PROT_WRITE);
	protect_slots(PROT_READ | PROT_WRITE);
	CHECK(!came);
	came = true;
	meanwhile();
}

static void begin(void (*fn)(void))
{
	crowd_pin(pthread_self(), 0);
	percpu_counter_destroy(counter);
	CHECK(percpu_counter_init(counter, 0) == 0);
	came = false;
	meanwhile = fn;
}

static int64_t bound_of(int64_t batch)
{
	return 2 * (batch - 1) * percpu_nr_slots();
}

static void expect_bound(void)
{
	CHECK_EQ(percpu_counter_error_bound(counter), bound_of(SMALL));
}

static void check_first(void)
{
	begin(expect_bound);
	protect_slots(PROT_READ);
	percpu_counter_add_batch(counter, SMALL - 1, SMALL);
	CHECK(came);
}

static void widen_more(void)
{
	percpu_counter_add_batch(counter, 1, LARGE);
}

static void check_larger(void)
{
	begin(widen_more);
	protect(counter, PROT_READ);
	percpu_counter_add_batch(counter, 1, SMALL);
	CHECK(came);
	CHECK_EQ(percpu_counter_error_bound(counter), bound_of(LARGE));
	CHECK_EQ(percpu_counter_sum(counter), 2);
}

/* It is never below what it was; yet a read is then. One CPU would tell all. */
static void add_and_tell(void)
{
	percpu_counter_add_batch(counter, LARGE / 2, LARGE);
	crowd_pin(pthread_self(), 1);
	percpu_counter_add_batch(counter, -LARGE / 4, 1);
}

static void check_read(void)
{
	begin(add_and_tell);
	protect(slot(percpu_nr_slots()), PROT_NONE);
	CHECK_EQ(percpu_counter_compare(counter, -LARGE / 8), 1);
	CHECK(came);
	begin(add_and_tell);
	protect(slot(percpu_nr_slots()), PROT_NONE);
	CHECK(!percpu_counter_limited_add(counter, -LARGE / 8, 1));
	CHECK(came);
}

int main(void)
{
	struct sigaction action = { .sa_handler = on_fault };

	counter = mmap(NULL, page_size(), PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK(counter != MAP_FAILED);
	percpu_counter_batch = SMALL - 1;
	CHECK(sigaction(SIGSEGV, &action, NULL) == 0);
	check_first();
	check_larger();
	check_read();
	percpu_counter_destroy(counter);
	return TEST_PASS;
}
