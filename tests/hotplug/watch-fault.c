/* SPDX-License-Identifier: MIT */
/*
 * The program handles what a watcher's function does wrong itself, faults, as
 * in called functions; other signals it does not get.
 */
#include "events.h"
#include "watched.h"

#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>

static char *page;

static void open_page(int sig)
{
	(void)sig;
	CHECK(mprotect(page, 1, PROT_READ | PROT_WRITE) == 0);
}

static void touch_page(void *arg)
{
	sigset_t blocked;

	CHECK(pthread_sigmask(SIG_BLOCK, NULL, &blocked) == 0);
	CHECK(sigismember(&blocked, SIGALRM) == 1);
	CHECK(sigismember(&blocked, SIGTERM) == 1);
	CHECK(sigismember(&blocked, SIGFPE) == 0);
	*page = 1;
	say(arg);
}

int main(void)
{
	struct sigaction sa = { .sa_handler = open_page };

	alarm(20);
	page = mmap(NULL, 1, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK(page != MAP_FAILED);
	CHECK(sigaction(SIGSEGV, &sa, NULL) == 0);
	CHECK(percpu_cpus_watch(touch_page, NULL) == 0);
	tell("online@/devices/system/cpu/cpu1");
	wait_until_said(1);
	CHECK(percpu_cpus_unwatch() == 0);
	CHECK_EQ(*page, 1);
	return TEST_PASS;
}
