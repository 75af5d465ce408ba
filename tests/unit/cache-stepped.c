/* SPDX-License-Identifier: MIT */
/*
 * cache-stepped.c: at each instruction of a pop or a push under a lock, a
 * signal handler that pops and pushes, and another thread that empties the
 * caches, lose no item and double none. Who comes between is the handler of
 * the trap that the processor takes after each instruction. A child of fork
 * does not wait for a thread that is not there.
 */
#include "cache.h"
#include "check.h"
#include "lock.h"
#include "memory.h"
#include "no_area.h"
#include "os.h"
#include "policy.h"

#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#define TRAP_FLAG 0x100
#define BIN 5u
#define ITEMS 4u
#define PUSHED ITEMS /* the number of the item that is pushed */
#define IN_HANDLER (ITEMS + 1)

struct percpu__rt percpu__rt = { .nr_slots = 2 };

static unsigned long step; /* of the call at hand */
static unsigned long at;   /* the step at which somebody comes between */
static unsigned long pauses;
static void (*between)(void);

unsigned percpu_this_slot(void)
{
	return 1;
}

/* As in the child of a fork without handlers. */
static bool strange;

bool percpu__lock_is_strange(void)
{
	return strange;
}

int percpu_fence(void)
{
	return 0;
}

/* Where each item is: as often as it was taken out by somebody. */
static unsigned had[IN_HANDLER + 1];

static uint64_t item_of(unsigned i)
{
	return (uint64_t)(i + 1) << 4;
}

static void have(uint64_t item)
{
	CHECK(item >= 16 && item <= item_of(IN_HANDLER) && item % 16 == 0);
	had[item / 16 - 1]++;
}

static void have_all(const uint64_t *items, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		have(items[i]);
}

/* The handler's: an item out, another one in. */
static void work(void)
{
	uint64_t item;

	if (percpu__cache_pop(BIN, &item))
		have(item);
	if (!percpu__cache_push(BIN, item_of(IN_HANDLER)))
		have(item_of(IN_HANDLER));
}

/* A thread that empties the caches, and waits with the items in its hands. */
static pthread_t drainer;
static bool drains;
static sem_t on_its_way; /* it waits for a lock, or has items, or is done */
static sem_t go_on;
static bool told;
static bool pushes_on; /* it goes on when somebody waits for it */

static void tell(void)
{
	if (!__atomic_exchange_n(&told, true, __ATOMIC_RELAXED))
		sem_post(&on_its_way);
}

static void give(const uint64_t *items, unsigned n)
{
	tell();
	sem_wait(&go_on);
	sem_post(&go_on);
	for (unsigned i = 0; i < n; i++)
		have(items[i]);
}

/*
 * Whoever waits next forks, as a signal handler might just then; so that
 * handlers of fork run in the child, or do not.
 */
static bool forks;
static bool raw;
static bool forked; /* in the child */
static unsigned children;

static void fork_here(void)
{
	int status;
	pid_t child = fork();

	forks = false;
	if (child == 0) {
		alarm(20); /* ends a child that waits for ever */
		forked = true;
		strange = true;
		if (!raw)
			percpu__cache_shut();
		return;
	}
	CHECK(child > 0 && waitpid(child, &status, 0) == child);
	if (!WIFEXITED(status) || WEXITSTATUS(status) != TEST_PASS)
		FAIL("a child's status is %#x", status);
	children++;
}

/* Nobody gets at caches until they are forgotten. */
static void end_child(void)
{
	uint64_t item;

	CHECK(!percpu__cache_push(BIN, item_of(0)));
	CHECK(!percpu__cache_pop(BIN, &item));
	strange = false;
	percpu__cache_forget();
	CHECK(!percpu__cache_pop(BIN, &item));
	CHECK(percpu__cache_push(BIN, item_of(0)));
	memset(had, 0, sizeof(had));
	CHECK(percpu__cache_drain(true, have_all));
	CHECK_EQ(had[0], 1);
	_exit(TEST_PASS);
}

void __real_percpu__os_doze(void);
void __wrap_percpu__os_doze(void);
void __wrap_percpu__os_doze(void)
{
	tell();
	if (forks)
		fork_here();
	if (pushes_on)
		sem_post(&go_on);
	__real_percpu__os_doze();
}

static void *drain(void *unused)
{
	(void)unused;
	CHECK(percpu__cache_drain(true, give));
	if (forked)
		end_child();
	tell();
	return NULL;
}

static void start_drain(void)
{
	told = false;
	drains = true;
	CHECK(sem_init(&on_its_way, 0, 0) == 0);
	CHECK(sem_init(&go_on, 0, 0) == 0);
	CHECK(pthread_create(&drainer, NULL, drain, NULL) == 0);
	while (sem_wait(&on_its_way) != 0)
		;
}

/* The same, and it forks if it has to wait. */
static void start_drain_and_fork(void)
{
	forks = true;
	raw = !raw;
	start_drain();
}

static void end_drain(void)
{
	if (!drains)
		return;
	sem_post(&go_on);
	CHECK(pthread_join(drainer, NULL) == 0);
	drains = false;
	forks = false;
}

static void on_trap(int sig, siginfo_t *info, void *context)
{
	(void)sig;
	(void)info;
	(void)context;
	if (step++ != at)
		return;
	pauses++;
	between();
}

static void start_steps(void)
{
	step = 0;
	__asm__ volatile("pushfq; orq %0, (%%rsp); popfq"
			 :
			 : "i"(TRAP_FLAG)
			 : "memory", "cc");
}

static void stop_steps(void)
{
	__asm__ volatile("pushfq; andq %0, (%%rsp); popfq"
			 :
			 : "i"(~TRAP_FLAG)
			 : "memory", "cc");
}

static void pop(void)
{
	uint64_t item;
	bool any;

	start_steps();
	any = percpu__cache_pop_slowly(BIN, &item);
	stop_steps();
	if (any)
		have(item);
}

static void push(void)
{
	bool room;

	start_steps();
	room = percpu__cache_push_slowly(BIN, item_of(PUSHED));
	stop_steps();
	if (!room)
		have(item_of(PUSHED));
}

/* Each item that went in was somebody's once, or is in the bin. */
static void check_items(bool is_pushed, bool in_handler)
{
	uint64_t item;

	while (percpu__cache_pop(BIN, &item))
		have(item);
	for (unsigned i = 0; i < ITEMS; i++)
		CHECK_EQ(had[i], 1);
	CHECK_EQ(had[PUSHED], is_pushed);
	CHECK_EQ(had[IN_HANDLER], in_handler);
}

/* Somebody comes between at each step of @call in turn. */
static void interrupt_each(void (*call)(void), void (*who)(void))
{
	between = who;
	at = 0;
	do {
		memset(had, 0, sizeof(had));
		for (unsigned i = 0; i < ITEMS; i++)
			CHECK(percpu__cache_push(BIN, item_of(i)));
		call();
		end_drain();
		check_items(call == push, who == work && at < step);
	} while (++at <= step);
}

/* Who empties the caches waits for another who does, and finds nothing. */
static void drained_at_once(bool handlers)
{
	raw = !handlers;
	memset(had, 0, sizeof(had));
	for (unsigned i = 0; i < ITEMS; i++)
		CHECK(percpu__cache_push(BIN, item_of(i)));
	start_drain();
	pushes_on = true;
	forks = true;
	CHECK(percpu__cache_drain(true, have_all));
	if (forked)
		end_child();
	end_drain();
	check_items(false, false);
}

int main(void)
{
	struct sigaction trap = { .sa_sigaction = on_trap,
				  .sa_flags = SA_SIGINFO };
	struct percpu__policy p = { .mode = PERCPU_MODE_ATOMIC |
					    PERCPU__LATCHED };

	if (!MEMORY_IS_OURS)
		SKIP("a sanitizer's instructions are many");
	memcpy(&percpu__rt.policy, &p, sizeof(p));
	CHECK(sigaction(SIGTRAP, &trap, NULL) == 0);
	CHECK_EQ(percpu__cache_start(), 0);
	interrupt_each(pop, work);
	interrupt_each(push, work);
	interrupt_each(pop, start_drain);
	interrupt_each(push, start_drain);
	interrupt_each(pop, start_drain_and_fork);
	CHECK(children > 0);
	drained_at_once(true);
	drained_at_once(false);
	printf("%lu steps\n", pauses);
	CHECK(pauses > 100);
	return TEST_PASS;
}
