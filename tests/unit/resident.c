/* SPDX-License-Identifier: MIT */
/*
 * resident.c: the bytes of some memory that take memory are those of the pages
 * that were written, however the system is asked; all, where it does not tell.
 */
#include "resident.h"
#include "bits.h"
#include "check.h"
#include "memory.h"
#include "os.h"
#include "random.h"
#include "refuse.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* More than are asked after at once, and than the system says at once. */
#define PAGES 10000u

static size_t page;
static char *memory;
static uint64_t written[(PAGES + 63) / 64];

static void write_page(uint32_t i)
{
	memory[i * page] = 1;
	percpu__bits_mark(written, i, 1, true);
}

/* Runs of pages and single ones, none at either end. */
static void write_some(void)
{
	uint64_t random = 5;

	for (uint32_t i = 1; i + 40 < PAGES; i += pick(&random, 60)) {
		uint32_t n = one_in(&random, 3) ? pick(&random, 40) : 1;

		while (n-- > 0)
			write_page(i++);
	}
}

static void check_range(uint32_t from, uint32_t end)
{
	CHECK_EQ(percpu__resident_bytes(memory + from * page,
					(end - from) * page),
		 page * percpu__bits_count(written, from, end));
}

/* Which pages, and how many bytes. */
static void check(void)
{
	static uint64_t bits[(PAGES + 63) / 64];

	memset(bits, 0xff, sizeof(bits));
	CHECK_EQ(percpu__os_resident(memory, PAGES, bits), 0);
	for (uint32_t i = 0; i < PAGES; i++)
		if (percpu__bits_test(bits, i) != percpu__bits_test(written, i))
			FAIL("page %u is taken for %d", i,
			     percpu__bits_test(bits, i));
	check_range(0, PAGES);
	check_range(0, 0);
	check_range(0, 1);
	check_range(3, 3000);
	check_range(100, 4196);
	check_range(101, 4198);
	check_range(PAGES - 1, PAGES);
}

/* As the system tells of itself; what was dropped takes none. */
static void asked(void)
{
	check();
	CHECK_EQ(percpu__os_drop(memory + 64 * page, 500 * page), 0);
	percpu__bits_mark(written, 64, 500, false);
	check();
}

/* Pages that were read take none: each shows the system's page of zeros. */
static void only_read(void)
{
	volatile char byte;

	for (uint32_t i = 0; i < PAGES; i++)
		byte = memory[i * page];
	(void)byte;
	check();
}

/* Whether the system has the request of Linux 6.7. */
static bool has_scan(void)
{
	return syscall(__NR_ioctl, open("/proc/self/pagemap", O_RDONLY),
		       _IOWR('f', 16, char[96]), NULL) != 0 &&
	       errno == EFAULT;
}

/* A system without it. */
static void asked_otherwise(void)
{
	refuse(__NR_ioctl, ENOTTY);
	check();
}

/* A system that does not tell. */
static void not_told(void)
{
	uint64_t bits;

#ifdef __NR_open
	refuse(__NR_open, EACCES);
#endif
	refuse(__NR_openat, EACCES);
	CHECK_EQ(percpu__os_resident(memory, 1, &bits), -EACCES);
	CHECK_EQ(percpu__resident_bytes(memory, PAGES * page), PAGES * page);
	CHECK_EQ(percpu__resident_bytes(memory, 0), 0);
}

/* Each case in a process that may refuse itself what it wants. */
static void run(void (*body)(void))
{
	int status;
	pid_t child = fork();

	CHECK(child >= 0);
	if (child == 0) {
		body();
		_exit(TEST_PASS);
	}
	CHECK(waitpid(child, &status, 0) == child);
	CHECK(WIFEXITED(status));
	if (WEXITSTATUS(status) != TEST_PASS)
		exit(WEXITSTATUS(status));
}

int main(int argc, char **argv)
{
	bool scan = argc > 1 && strcmp(argv[1], "scan") == 0;
	uint64_t bits;

	page = percpu__os_page_size();
	memory = percpu__os_reserve(PAGES * page);
	CHECK(memory != NULL);
	CHECK_EQ(percpu__os_commit(memory, PAGES * page), 0);
	if (!MEMORY_IS_OURS || percpu__os_resident(memory, 1, &bits) < 0)
		SKIP("this system does not tell which pages are there");
	if (scan && !has_scan())
		SKIP("this system tells of each page by itself alone");
	write_some();
	run(asked);
	run(scan ? only_read : asked_otherwise);
	run(not_told);
	return TEST_PASS;
}
