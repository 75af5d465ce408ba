/* SPDX-License-Identifier: MIT */
/*
 * B35: each call to the system fails in turn, the n-th for all n. An allocation
 * then works all the same or is NULL and ENOMEM, with nothing changed: no
 * mapping is left, live objects are as they were, and the next call works.
 */
#include "slots.h"

#include "area.h"
#include "os.h"

#include <sys/wait.h>
#include <unistd.h>

enum call {
	RESERVE,
	COMMIT,
	DROP,
	RESIDENT,
	WIPE,
	READ_FILE,
	AFFINITY,
	MASK_BITS,
	CPU,
	RSEQ,
	CALLS
};

static enum call failing = CALLS;
static unsigned fail_at; /* its so-many-th call fails */
static unsigned seen;
static int live; /* mappings */

static bool fails(enum call call)
{
	return call == failing && ++seen == fail_at;
}

#define WRAP(type, name, params, args, call, failed)                           \
	type __real_percpu__os_##name params;                                  \
	type __wrap_percpu__os_##name params;                                  \
	type __wrap_percpu__os_##name params                                   \
	{                                                                      \
		return fails(call) ? failed : __real_percpu__os_##name args;   \
	}

WRAP(int, commit, (void *p, size_t len), (p, len), COMMIT, -ENOMEM)
WRAP(int, drop, (void *p, size_t len), (p, len), DROP, -EINVAL)
WRAP(int, resident, (const void *p, size_t pages, uint64_t *bits),
     (p, pages, bits), RESIDENT, -EACCES)
WRAP(int, wipe_on_fork, (void *p, size_t len), (p, len), WIPE, -EINVAL)
WRAP(int, read_file, (const char *path, char *buf, size_t size),
     (path, buf, size), READ_FILE, -EMFILE)
WRAP(int, affinity, (unsigned long *mask, size_t bytes), (mask, bytes),
     AFFINITY, -EPERM)
WRAP(int, mask_bits, (void), (), MASK_BITS, -EPERM)
WRAP(int, cpu, (void), (), CPU, -ENOSYS)
WRAP(int, rseq, (void *area, uint32_t len, int flags, uint32_t sig),
     (area, len, flags, sig), RSEQ, -EPERM)

void *__real_percpu__os_reserve(size_t len);
void *__wrap_percpu__os_reserve(size_t len);
void __real_percpu__os_release(void *p, size_t len);
void __wrap_percpu__os_release(void *p, size_t len);

void *__wrap_percpu__os_reserve(size_t len)
{
	void *p = fails(RESERVE) ? NULL : __real_percpu__os_reserve(len);

	live += p != NULL;
	return p;
}

void *__real_percpu__os_reserve_aligned(size_t len, size_t align);
void *__wrap_percpu__os_reserve_aligned(size_t len, size_t align);

void *__wrap_percpu__os_reserve_aligned(size_t len, size_t align)
{
	void *p = fails(RESERVE) ?
			  NULL :
			  __real_percpu__os_reserve_aligned(len, align);

	live += p != NULL;
	return p;
}

void __wrap_percpu__os_release(void *p, size_t len)
{
	live--;
	__real_percpu__os_release(p, len);
}

#define OBJECTS 12u

static char PERCPU *h[OBJECTS];
static unsigned refused;

static void check_live(unsigned end)
{
	for (unsigned i = 0; i < end; i++)
		if (h[i] != NULL)
			CHECK(is_filled(h[i], 64, (int)i + 1));
}

/* Object @i; if the first call fails, the second gives it. */
static void take(unsigned i, size_t size)
{
	int before = live;

	errno = 0;
	h[i] = percpu_alloc(size, 64);
	if (h[i] == NULL) {
		CHECK_EQ(errno, ENOMEM);
		/* Caches stay for the next call. */
		CHECK(live <= before + (i == 0));
		check_live(i);
		refused++;
		h[i] = must_alloc(size, 64);
	}
	CHECK(is_filled(h[i], 64, 0));
	fill(h[i], 64, (int)i + 1);
}

/* Two objects fill a chunk: chunks come and go. */
static void scenario(void)
{
	size_t half = percpu_max_size() / 2;

	for (unsigned i = 0; i < OBJECTS; i++)
		take(i, half);
	check_live(OBJECTS);
	for (unsigned i = 0; i < OBJECTS; i += 2) {
		percpu_free(h[i]);
		h[i] = NULL;
	}
	check_live(OBJECTS);
	for (unsigned i = 0; i < OBJECTS; i += 2)
		take(i, half);
	check_live(OBJECTS);
	percpu_inc((uint64_t PERCPU *)h[0]);
	for (unsigned i = 0; i < OBJECTS; i++)
		percpu_free(h[i]);
	percpu_trim();
	CHECK(live <= 1); /* the caches */
}

enum {
	REACHED = 10,	 /* the call failed and nothing was refused */
	REFUSED = 11,	 /* the call failed and an allocation was refused */
	NOT_REACHED = 12 /* there are fewer calls */
};

static int run(enum call call, unsigned n)
{
	int status;
	pid_t child;

	fflush(stdout);
	child = fork();
	if (child == 0) {
		failing = call;
		fail_at = n;
		scenario();
		if (seen < n)
			exit(NOT_REACHED);
		CHECK(refused <= 1);
		exit(refused != 0 ? REFUSED : REACHED);
	}
	CHECK(waitpid(child, &status, 0) == child);
	if (!WIFEXITED(status))
		FAIL("call %d, number %u: killed by signal %d", (int)call, n,
		     WTERMSIG(status));
	return WEXITSTATUS(status);
}

int main(void)
{
	int64_t distance;

	if (!percpu__area_offset(&distance))
		SKIP("areas of the library's own are mappings too");
	if (!OBJECTS_ARE_PLAIN)
		SKIP("so is what is noted of objects");
	for (enum call call = 0; call < CALLS; call++) {
		unsigned n = 1;
		int end;

		while ((end = run(call, n)) != NOT_REACHED) {
			bool memory = call == RESERVE || call == COMMIT;

			if (end != (memory ? REFUSED : REACHED))
				FAIL("call %d, number %u: ends with %d",
				     (int)call, n, end);
			n++;
		}
		printf("call %d fails %u times\n", (int)call, n - 1);
		if (call == RESERVE || call == COMMIT)
			CHECK(n - 1 >= OBJECTS / 2);
	}
	return TEST_PASS;
}
