/* SPDX-License-Identifier: MIT */
/*
 * A called function that ends its thread, which is the worker's, is told of,
 * and the program aborted: nothing would run there any more.
 */
#include "aborts.h"
#include "support.h"

#include <signal.h>

enum { SECONDS = 60 };

static void end_thread(void *arg)
{
	pthread_exit(arg);
}

int main(void)
{
	alarm(SECONDS);
	find_cpus();
	aborts_expect("has ended the thread");
	percpu_call(cpu_at(0), end_thread, NULL);
	return TEST_FAIL;
}
