/* SPDX-License-Identifier: MIT */
/*
 * The watcher refreshes and calls the function once for each event that tells
 * of a CPU, and for events that were lost; for no other, whatever is in it. A
 * socket that fails is no more heard, and not looked at again and again; nor is
 * anything where the system forbids to wait for descriptors.
 */
#include "events.h"
#include "watched.h"

int __wrap_percpu__hotplug_look(void *known);
int __wrap_percpu_cpus_refresh(void);
int __real_percpu__os_events_take(int fd, char *buf, size_t size);
int __wrap_percpu__os_events_take(int fd, char *buf, size_t size);
int __real_percpu__os_events_wait(int fds[2], unsigned ms);
int __wrap_percpu__os_events_wait(int fds[2], unsigned ms);
void __real_percpu__os_wait(uint32_t *word, uint32_t value, unsigned ms);
void __wrap_percpu__os_wait(uint32_t *word, uint32_t value, unsigned ms);

static uint64_t refreshed;
static int fails;
static int refresh_fails;
static bool deaf;
static bool forbidden;
static unsigned awake;

/* There is nothing to see. */
int __wrap_percpu__hotplug_look(void *known)
{
	(void)known;
	return 0;
}

int __wrap_percpu_cpus_refresh(void)
{
	if (__atomic_exchange_n(&refresh_fails, 0, __ATOMIC_RELAXED) != 0)
		return -ENOMEM;
	CHECK_EQ(refreshed, said);
	refreshed++;
	return 0;
}

int __wrap_percpu__os_events_take(int fd, char *buf, size_t size)
{
	int got = __real_percpu__os_events_take(fd, buf, size);

	return got >= 0 && fails != 0 ?
		       __atomic_exchange_n(&fails, 0, __ATOMIC_RELAXED) :
		       got;
}

int __wrap_percpu__os_events_wait(int fds[2], unsigned ms)
{
	__atomic_store_n(&deaf, fds[0] < 0, __ATOMIC_RELAXED);
	if (!__atomic_load_n(&forbidden, __ATOMIC_RELAXED))
		return __real_percpu__os_events_wait(fds, ms);
	/* Once, and then it sleeps in another way. */
	CHECK(__atomic_add_fetch(&awake, 1, __ATOMIC_RELAXED) == 1);
	return -EINVAL;
}

void __wrap_percpu__os_wait(uint32_t *word, uint32_t value, unsigned ms)
{
	__real_percpu__os_wait(word, value, ms);
	__atomic_store_n(&awake, 0, __ATOMIC_RELAXED);
}

static const char *const others[] = {
	"add@/devices/virtual/block/loop0",
	"add@/devices/system/cpu/cpufreq/policy0",
	"add@/devices/system/cpu/cpu",
	"online@/devices/system/memory/memory32",
	"add@/a/devices/system/cpu/cpu1",
	"/devices/system/cpu/cpu1",
	"@",
	"",
};

static const char *const cpus[] = {
	"online@/devices/system/cpu/cpu1",
	"offline@/devices/system/cpu/cpu12",
	"add@/devices/system/cpu/cpu0",
	"remove@/devices/system/cpu/cpu3",
};

static void check_others(void)
{
	char large[9000];

	memset(large, 'x', sizeof(large));
	tell_bytes(large, sizeof(large));
	tell_bytes("online@/devices/system/cpu/cpu1", 30);
	for (unsigned i = 0; i < sizeof(others) / sizeof(*others); i++) {
		tell(others[i]);
		wait_until_taken();
		usleep(500);
		CHECK_EQ(__atomic_load_n(&said, __ATOMIC_RELAXED), 0);
	}
}

static void check_fails(int err)
{
	uint64_t before = said;

	__atomic_store_n(&fails, err, __ATOMIC_RELAXED);
	tell("");
	if (err == -ENOBUFS)
		wait_until_said(before + 1);
	else
		while (!__atomic_load_n(&deaf, __ATOMIC_RELAXED))
			usleep(1000);
}

int main(void)
{
	unsigned files = files_now();

	alarm(60);
	CHECK(percpu_cpus_watch(say, NULL) == 0);
	check_others();
	for (unsigned i = 0; i < sizeof(cpus) / sizeof(*cpus); i++) {
		tell(cpus[i]);
		wait_until_said(i + 1);
		CHECK_EQ(said, i + 1);
	}
	check_fails(-ENOBUFS);
	/* It is tried again, a second later. */
	__atomic_store_n(&refresh_fails, 1, __ATOMIC_RELAXED);
	check_fails(-ENOBUFS);
	__atomic_store_n(&forbidden, true, __ATOMIC_RELAXED);
	check_fails(-EPERM);
	while (__atomic_load_n(&awake, __ATOMIC_RELAXED) == 0)
		usleep(1000);
	CHECK(percpu_cpus_unwatch() == 0);
	CHECK_EQ(refreshed, said);
	events_close();
	/* The socket that has failed: it may have been another file's. */
	CHECK_EQ(files_now(), files + 1);
	return TEST_PASS;
}
