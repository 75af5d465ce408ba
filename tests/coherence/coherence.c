/* SPDX-License-Identifier: MIT */
/*
 * coherence.c: the table: how many cache lines an operation moves between CPUs,
 * by how many CPUs there are.
 *
 * The library's sources and the rows are compiled with -fsanitize=thread, so
 * that each access to memory calls a hook, and linked with hooks of our own
 * (hooks.c), which ask a model: which virtual CPUs hold the line (lines.c). A
 * line moves when a CPU reads what another wrote since, and when it writes to
 * what others hold; caches are infinite, so nothing else moves one. Threads are
 * fibres, one to a CPU; a seeded generator says after which 1 to 4 accesses
 * another CPU goes on (model.c). Where that would make the figure depend on how
 * often the compiler loads a word, another goes on after each operation instead
 * (sum, alloc). The same table comes out each time, on any machine and from
 * either compiler, so it is kept (table.txt) and compared.
 *
 * What is counted. Each cell is a process of its own, since policy and number
 * of CPUs are latched. All CPUs first make WARM_UP operations, or a row's
 * whole count if that is less: then what is only read is in every cache, and
 * bins are filled. The lines stay where they are, the count starts at 0, and
 * the row's own number of operations is made and counted.
 *
 * What it is blind to: inline assembly, so twins in C announce what sections
 * access (twin_*.c, checked by announced.c against the instructions); libc;
 * memory order; the kernel; prefetching of neighbours; caches' sizes. Figures
 * other than 0 depend on the quantum: they are the model's, and compare with
 * each other only.
 *
 * Tried and left: a QEMU plug-in, which sees the assembly, and where threads
 * run for whole slices of time counts nothing, or, with its own scheduler,
 * the same within 0.4 %; in system mode no two runs are equal.
 */
#include "model.h"
#include "rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define SEED 1u
#define WARM_UP 64u

static const unsigned cpus[] = { 2, 8, 64, 256 };

#define CELLS (sizeof(cpus) / sizeof(*cpus))

static const struct row *row;
static unsigned times;

/* The loop itself makes two accesses, to what is only read. */
static void operate(unsigned cpu)
{
	for (unsigned i = 0; i < times; i++) {
		model_access(&row, sizeof(row), MODEL_READ);
		model_access(&times, sizeof(times), MODEL_READ);
		row->operate(cpu);
		if (row->whole)
			model_yield();
	}
}

/* Lines moved by all of @r's operations on @n CPUs. */
static uint64_t run(const struct row *r, unsigned n)
{
	row = r;
	model_policy = r->policy;
	model_start(n, SEED);
	if (r->start != NULL)
		r->start();
	times = r->times < WARM_UP ? r->times : WARM_UP;
	model_run(operate, r->whole);
	times = r->times;
	model_run(operate, r->whole);
	return model_moved();
}

static void fail(const char *what)
{
	perror(what);
	exit(1);
}

/* The same in a process of its own. */
static uint64_t run_apart(const struct row *r, unsigned n)
{
	uint64_t moved;
	int ends[2];
	int status;
	pid_t pid;

	if (pipe(ends) != 0)
		fail("pipe");
	fflush(stdout);
	pid = fork();
	if (pid < 0)
		fail("fork");
	if (pid == 0) {
		moved = run(r, n);
		_exit(write(ends[1], &moved, sizeof(moved)) != sizeof(moved));
	}
	close(ends[1]);
	if (read(ends[0], &moved, sizeof(moved)) != sizeof(moved) ||
	    waitpid(pid, &status, 0) != pid || status != 0) {
		fprintf(stderr, "%s on %u CPUs did not end well\n", r->name, n);
		exit(1);
	}
	close(ends[0]);
	return moved;
}

static void head(void)
{
	printf("%-32s", "cache lines moved per operation");
	for (size_t i = 0; i < CELLS; i++)
		printf("%6u CPUs", cpus[i]);
	putchar('\n');
}

static void print_row(const struct row *r, const double *cells)
{
	printf("%-32s", r->name);
	for (size_t i = 0; i < CELLS; i++)
		printf("%11.3f", cells[i]);
	putchar('\n');
}

static void print_json(const struct row *r, const double *cells)
{
	static const char *before = "[";

	printf("%s\n{\"operation\": \"%s\", \"lines\": {", before, r->name);
	for (size_t i = 0; i < CELLS; i++)
		printf("%s\"%u\": %.3f", i > 0 ? ", " : "", cpus[i], cells[i]);
	printf("}}");
	before = ",";
}

/* Run and print @r; false if lines move that must not. */
static bool show(const struct row *r, bool json)
{
	double cells[CELLS];
	uint64_t all = 0;

	for (size_t i = 0; i < CELLS; i++) {
		uint64_t moved = run_apart(r, cpus[i]);

		cells[i] = (double)moved / ((double)cpus[i] * r->times);
		all += moved;
	}
	if (json)
		print_json(r, cells);
	else
		print_row(r, cells);
	return !r->still || all == 0;
}

int main(int argc, char **argv)
{
	bool json = argc == 2 && strcmp(argv[1], "--json") == 0;
	bool well = true;

	if (argc > 1 && !json) {
		fprintf(stderr, "usage: %s [--json]\n", argv[0]);
		return 2;
	}
	if (!json)
		head();
	for (const struct row *const *t = rows; *t != NULL; t++)
		for (const struct row *r = *t; r->name != NULL; r++)
			if (!show(r, json)) {
				fprintf(stderr, "%s moves lines\n", r->name);
				well = false;
			}
	if (json)
		puts("\n]");
	return well ? 0 : 1;
}
