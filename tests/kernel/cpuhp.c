/* SPDX-License-Identifier: MIT */
/*
 * Functions for CPUs that come and go: each startup and teardown once, in the
 * order of states, at setup, at refreshes and at the end, by one thread at
 * a time; what fails is undone, or tried again; a child of fork waits for
 * nobody who calls one in its parent.
 */
#include "check.h"
#include "topology.h"

#include <percpu/kernel.h>

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 3, ROUNDS = 100 };

/* A letter a call: upper case comes, lower case goes. */
static char calls[400];
static unsigned within; /* functions at the same time */
static int fails;
static int held[2], go_on[2];
static bool last_there = true;

int __wrap_percpu__topology_told_set(struct percpu__cpus *set);

/* CPU 0, and the last one when the test says so. */
int __wrap_percpu__topology_told_set(struct percpu__cpus *set)
{
	unsigned last = percpu_nr_slots() - 1;

	memset(set, 0, sizeof(*set));
	set->bits[0] = 1;
	if (__atomic_load_n(&last_there, __ATOMIC_RELAXED))
		set->bits[last / PERCPU__CPUS_WORD] |=
			1ul << last % PERCPU__CPUS_WORD;
	return 1 + (int)last_there;
}

static int note(char c, unsigned cpu)
{
	char *end = calls + strlen(calls);

	CHECK_EQ(__atomic_fetch_add(&within, 1, __ATOMIC_RELAXED), 0);
	CHECK(end + 2 < calls + sizeof(calls));
	end[0] = c;
	end[1] = cpu == 0 ? '0' : 'L';
	end[2] = 0;
	CHECK_EQ(__atomic_fetch_sub(&within, 1, __ATOMIC_RELAXED), 1);
	return 0;
}

static int a_comes(unsigned cpu)
{
	return note('A', cpu);
}

static int a_goes(unsigned cpu)
{
	return note('a', cpu);
}

static int b_comes(unsigned cpu)
{
	note('B', cpu);
	return cpu == 0 ? 0 : fails;
}

static int b_goes(unsigned cpu)
{
	return note('b', cpu);
}

static void called(const char *want)
{
	if (strcmp(calls, want) != 0) {
		fprintf(stderr, "%s, not %s\n", calls, want);
		exit(TEST_FAIL);
	}
	calls[0] = 0;
}

static void refresh(bool last)
{
	__atomic_store_n(&last_there, last, __ATOMIC_RELAXED);
	CHECK_EQ(percpu_cpus_refresh(), 0);
}

static int setup_a(void)
{
	return cpuhp_setup_state(CPUHP_BP_PREPARE_DYN, "a", a_comes, a_goes);
}

static int setup_b(void)
{
	return cpuhp_setup_state(CPUHP_AP_ONLINE_DYN, "b", b_comes, b_goes);
}

static void order(void)
{
	int b = setup_b();
	int a = setup_a();

	CHECK(a > 0 && b > a);
	called("B0BLA0AL");
	refresh(true);
	called("");
	refresh(false);
	called("bLaL");
	refresh(false);
	called("");
	refresh(true);
	called("ALBL");
	CHECK_EQ(cpuhp_remove_state(b), 0);
	called("b0bL");
	refresh(false);
	called("aL");
	CHECK_EQ(cpuhp_remove_state(a), 0);
	called("a0");
	CHECK(cpuhp_remove_state(a) == -EINVAL);
	CHECK(cpuhp_remove_state(0) == -EINVAL);
	CHECK(cpuhp_remove_state(CPUHP_ONLINE) == -EINVAL);
	refresh(true);
	called("");
}

static void without_calls(void)
{
	int a = cpuhp_setup_state_nocalls(CPUHP_AP_ONLINE_DYN, "a", a_comes,
					  a_goes);
	int none = cpuhp_setup_state(CPUHP_AP_ONLINE_DYN, "none", NULL, NULL);

	CHECK(a > 0 && none > 0);
	refresh(true);
	called("");
	refresh(false);
	called("aL");
	refresh(true);
	called("AL");
	CHECK_EQ(cpuhp_remove_state_nocalls(a), 0);
	CHECK_EQ(cpuhp_remove_state(none), 0);
	called("");
}

static void failures(void)
{
	int b;

	fails = -EIO;
	CHECK(setup_b() == -EIO);
	called("B0BLb0");
	refresh(false);
	called("");
	b = setup_b();
	CHECK(b > 0);
	called("B0");
	refresh(true);
	called("BL");
	refresh(false);
	called("");
	refresh(true);
	called("BL");
	fails = 0;
	refresh(true);
	called("BL");
	refresh(false);
	called("bL");
	CHECK_EQ(cpuhp_remove_state(b), 0);
	called("b0");
	CHECK(cpuhp_setup_state(CPUHP_ONLINE, "c", NULL, NULL) == -EINVAL);
	refresh(true);
}

static void full(void)
{
	int n = 0, state;

	do {
		state = cpuhp_setup_state(CPUHP_BP_PREPARE_DYN, "", NULL, NULL);
		n++;
	} while (state > 0);
	CHECK(state == -ENOSPC);
	CHECK_EQ(n - 1, CPUHP_BP_PREPARE_DYN_END - CPUHP_BP_PREPARE_DYN + 1);
	while (--n > 0)
		CHECK_EQ(cpuhp_remove_state(CPUHP_BP_PREPARE_DYN + n - 1), 0);
}

static int nested(unsigned cpu)
{
	CHECK(setup_a() == -EDEADLK);
	CHECK(cpuhp_remove_state(CPUHP_BP_PREPARE_DYN) == -EDEADLK);
	CHECK_EQ(percpu_cpus_refresh(), 0);
	return note('N', cpu);
}

static void from_within(void)
{
	int n = cpuhp_setup_state(CPUHP_BP_PREPARE_DYN, "n", nested, NULL);

	CHECK_EQ(n, CPUHP_BP_PREPARE_DYN);
	called("N0NL");
	CHECK_EQ(cpuhp_remove_state(n), 0);
}

static void *come_and_go(void *arg)
{
	for (unsigned i = 0; i < ROUNDS; i++)
		refresh(i % 2 == 0);
	return arg;
}

static int balance;

static int up(unsigned cpu)
{
	(void)cpu;
	CHECK_EQ(__atomic_fetch_add(&within, 1, __ATOMIC_RELAXED), 0);
	balance++;
	__atomic_fetch_sub(&within, 1, __ATOMIC_RELAXED);
	return 0;
}

static int down(unsigned cpu)
{
	(void)cpu;
	CHECK_EQ(__atomic_fetch_add(&within, 1, __ATOMIC_RELAXED), 0);
	balance--;
	__atomic_fetch_sub(&within, 1, __ATOMIC_RELAXED);
	return 0;
}

/* Startups and teardowns alternate, whoever refreshes. */
static void crowd(void)
{
	int s = cpuhp_setup_state(CPUHP_AP_ONLINE_DYN, "crowd", up, down);
	pthread_t threads[THREADS];

	CHECK_EQ(balance, 2);
	for (int i = 0; i < THREADS; i++)
		CHECK(pthread_create(&threads[i], NULL, come_and_go, NULL) ==
		      0);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	CHECK(balance == 1 || balance == 2);
	refresh(true);
	CHECK_EQ(balance, 2);
	CHECK_EQ(cpuhp_remove_state(s), 0);
	CHECK_EQ(balance, 0);
}

static int hold(unsigned cpu)
{
	char c = (char)cpu;

	CHECK(write(held[1], &c, 1) == 1);
	CHECK(read(go_on[0], &c, 1) == 1);
	return 0;
}

static void *set_up_held(void *arg)
{
	CHECK(cpuhp_setup_state(CPUHP_AP_ONLINE_DYN, "held", hold, NULL) > 0);
	return arg;
}

static void forked(void)
{
	pthread_t thread;
	int status;
	pid_t pid;
	char c;

	CHECK(pipe(held) == 0 && pipe(go_on) == 0);
	CHECK(pthread_create(&thread, NULL, set_up_held, NULL) == 0);
	CHECK(read(held[0], &c, 1) == 1);
	pid = fork();
	CHECK(pid >= 0);
	if (pid == 0) {
		CHECK(setup_a() > 0);
		called("A0AL");
		_exit(TEST_PASS);
	}
	CHECK(waitpid(pid, &status, 0) == pid);
	CHECK(WIFEXITED(status) && WEXITSTATUS(status) == TEST_PASS);
	CHECK(write(go_on[1], "..", 2) == 2);
	CHECK(pthread_join(thread, NULL) == 0);
}

int main(void)
{
	alarm(60);
	if (percpu_nr_slots() < 2)
		SKIP("needs two CPUs");
	order();
	without_calls();
	failures();
	full();
	from_within();
	crowd();
	forked();
	return TEST_PASS;
}
