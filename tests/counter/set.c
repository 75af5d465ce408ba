/* SPDX-License-Identifier: MIT */
/*
 * set.c: after set the sum is what was set, whatever slots hold, and the read
 * too where one CPU has counted; exchange says what the sum was.
 */
#include "check.h"
#include "crowd.h"

#include <percpu/percpu.h>

static struct percpu_counter counter;

int main(void)
{
	CHECK(percpu_counter_init(&counter, 4) == 0);
	for (unsigned cpu = 0; cpu < 2; cpu++) {
		crowd_pin(pthread_self(), cpu);
		percpu_counter_add(&counter, 30);
	}
	CHECK_EQ(percpu_counter_exchange(&counter, 100), 64);
	CHECK_EQ(percpu_counter_sum(&counter), 100);
	percpu_counter_sync(&counter);
	percpu_counter_set(&counter, -7);
	CHECK_EQ(percpu_counter_sum(&counter), -7);
	CHECK_EQ(percpu_counter_exchange(&counter, INT64_MIN), -7);
	CHECK_EQ(percpu_counter_sum(&counter), INT64_MIN);
	percpu_counter_destroy(&counter);
	CHECK(percpu_counter_init(&counter, 0) == 0);
	crowd_pin(pthread_self(), 0);
	percpu_counter_add(&counter, 30);
	percpu_counter_set(&counter, 5);
	CHECK_EQ(percpu_counter_read(&counter), 5);
	percpu_counter_destroy(&counter);
	percpu_counter_inc(&counter);
	CHECK_EQ(percpu_counter_exchange(&counter, 9), 1);
	CHECK_EQ(percpu_counter_sum(&counter), 9);
	return TEST_PASS;
}
