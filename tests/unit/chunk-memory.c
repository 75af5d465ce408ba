/* SPDX-License-Identifier: MIT */
/*
 * The memory of a chunk: a guard that nothing may access, units and a shared
 * slot that read zero, recycled grains made zero in every slot and no others
 * touched, all of it gone after destroy, and nothing left where making fails.
 */
#include "check.h"
#include "chunk.h"
#include "os.h"

#include <percpu/base.h>

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct percpu__rt percpu__rt;

#define SLOTS 5u

static size_t page;
static void *mapped;
static size_t mapped_len;
static unsigned reserves;
static unsigned releases;
static bool fail_reserve;
static bool fail_commit;

size_t percpu__os_page_size(void)
{
	return page;
}

void *percpu__os_reserve(size_t len)
{
	if (fail_reserve)
		return NULL;
	reserves++;
	mapped_len = len;
	mapped = mmap(NULL, len, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return mapped == MAP_FAILED ? NULL : mapped;
}

int percpu__os_commit(void *p, size_t len)
{
	if (fail_commit)
		return -ENOMEM;
	CHECK((char *)p >= (char *)mapped);
	CHECK((char *)p + len <= (char *)mapped + mapped_len);
	return mprotect(p, len, PROT_READ | PROT_WRITE) == 0 ? 0 : -errno;
}

void percpu__os_release(void *p, size_t len)
{
	CHECK(p == mapped);
	CHECK_EQ(len, mapped_len);
	releases++;
	munmap(p, len);
}

static uint32_t *grain(struct percpu__chunk *c, uint32_t slot, uint32_t i)
{
	char *unit = c->base + (slot + 1) * percpu__rt.stride;

	return (uint32_t *)(void *)(unit + i * PERCPU__GRAIN);
}

/* Reading into a pipe's system call tells access without a signal handler. */
static bool accessible(const void *p)
{
	int fd[2];
	bool ok;

	CHECK(pipe(fd) == 0);
	ok = write(fd[1], p, 1) == 1;
	close(fd[0]);
	close(fd[1]);
	return ok;
}

static void check_access(struct percpu__chunk *c)
{
	char *units = c->base + percpu__rt.stride;
	char *last = units + (SLOTS + 1) * percpu__rt.stride - 1;

	CHECK(!accessible(c->base));
	CHECK(!accessible(units - 1));
	CHECK(accessible(units));
	CHECK(accessible(last));
	CHECK((char *)c > last);
}

static void check_zero(struct percpu__chunk *c)
{
	struct percpu__run run = { .count = 10 };

	CHECK(percpu__chunk_take(c, &run, 1));
	for (uint32_t slot = 0; slot <= SLOTS; slot++)
		for (uint32_t i = 0; i < 20; i++)
			*grain(c, slot, i) = 7 + slot;
	percpu__chunk_give(c, run.first);
	run.count = 15;
	CHECK(percpu__chunk_take(c, &run, 1));
	CHECK_EQ(run.recycled, 10);
	percpu__chunk_zero(c, run);
	for (uint32_t slot = 0; slot <= SLOTS; slot++)
		for (uint32_t i = 0; i < 20; i++)
			CHECK_EQ(*grain(c, slot, i), i < 10 ? 0 : 7 + slot);
}

static void check_failures(void)
{
	fail_reserve = true;
	CHECK(percpu__chunk_create() == NULL);
	fail_reserve = false;
	fail_commit = true;
	CHECK(percpu__chunk_create() == NULL);
	fail_commit = false;
	CHECK_EQ(reserves, releases);
}

int main(void)
{
	struct percpu__chunk *c;

	page = (size_t)sysconf(_SC_PAGESIZE);
	percpu__rt.nr_slots = SLOTS;
	percpu__rt.stride = 3 * page;
	check_failures();
	c = percpu__chunk_create();
	CHECK(c != NULL);
	check_access(c);
	for (uint32_t slot = 0; slot <= SLOTS; slot++)
		for (uint32_t i = 0; i < c->grains; i++)
			CHECK_EQ(*grain(c, slot, i), 0);
	check_zero(c);
	percpu__chunk_destroy(c);
	CHECK_EQ(reserves, releases);
	return TEST_PASS;
}
