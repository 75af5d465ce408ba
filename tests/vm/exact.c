/* SPDX-License-Identifier: MIT */
/*
 * exact.c: in a machine, every row's sum is what was added, whatever was moved,
 * signalled and taken off line.
 *
 * Twice this proves nothing, and fails: where no section was aborted, and
 * where the control has lost nothing. Rounds go on until both were seen, to an
 * end: with one instruction a block (run.sh -i) the first mostly suffices.
 *
 * usage: exact [-t WORKERS] [-n BURSTS] [-r ROUNDS] [-x TOGGLES] [-p IDS]
 *              [-v BYTES] [-c]
 *   -t  workers; three for each CPU that is on line
 *   -n  bursts of each worker in a round
 *   -r  rounds, at least
 *   -x  so many times in a round a CPU goes off line or comes back
 *   -p  percpu_nr_cpu_ids() must be so many
 *   -v  blocks must move by so many bytes
 *   -c  slots must be numbered by concurrency id
 */
#include "check.h"
#include "crowd.h"

#include <errno.h>
#include <stdbool.h>
#include <sys/utsname.h>
#include <unistd.h>

enum { ROUNDS_MAX = 30, WAKERS = 6 };

static struct crowd crowd;

struct options {
	unsigned rounds;
	unsigned ids;
	unsigned bytes;
	bool cid;
};

static unsigned number(const char *word)
{
	return (unsigned)strtoul(word, NULL, 10);
}

static struct options parse(int argc, char **argv)
{
	struct options o = { .rounds = 1 };
	int opt;

	crowd.workers = 3 * (unsigned)sysconf(_SC_NPROCESSORS_ONLN);
	crowd.bursts = 500;
	while ((opt = getopt(argc, argv, "t:n:r:x:p:v:c")) != -1) {
		switch (opt) {
		case 't': crowd.workers = number(optarg); break;
		case 'n': crowd.bursts = number(optarg); break;
		case 'r': o.rounds = number(optarg); break;
		case 'x': crowd.toggles = number(optarg); break;
		case 'p': o.ids = number(optarg); break;
		case 'v': o.bytes = number(optarg); break;
		case 'c': o.cid = true; break;
		default: exit(TEST_FAIL);
		}
	}
	CHECK(optind == argc);
	crowd.wakers = crowd.workers < WAKERS ? crowd.workers : WAKERS;
	return o;
}

/* Where the headers have no sections, the library uses none. */
static void check_mode(void)
{
	const char *why;
	enum percpu_mode mode = percpu_backend(&why);

	printf("mode %d: %s\n", (int)mode, why);
#ifdef PERCPU_ARCH_GENERIC_H
	CHECK_EQ(mode, PERCPU_MODE_ATOMIC);
#else
	CHECK_EQ(mode, PERCPU_MODE_RSEQ);
#endif
}

static void check_machine(const struct options *o)
{
	struct utsname name;

	CHECK(uname(&name) == 0);
	printf("Linux %s, %s, %ld CPUs on line, %u ids\n", name.release,
	       name.machine, sysconf(_SC_NPROCESSORS_ONLN),
	       percpu_nr_cpu_ids());
	check_mode();
	printf("blocks move by %u bytes\n", percpu__rt.vector);
	if (o->bytes != 0)
		CHECK_EQ(percpu__rt.vector, o->bytes);
	if (o->ids != 0)
		CHECK_EQ(percpu_nr_cpu_ids(), o->ids);
	/* Without sections slots are CPUs, whatever the environment asks. */
	if (o->cid && percpu_backend(NULL) == PERCPU_MODE_RSEQ)
		CHECK_EQ(percpu_fence_cpu(0), -EOPNOTSUPP);
}

static uint64_t changes_of(unsigned row)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < crowd.workers + crowd.wakers; i++)
		sum += crowd.member[i].change[row] +
		       crowd.member[i].handler_change[row];
	return sum;
}

/* Tells of every row that is wrong. */
static bool are_exact(void)
{
	bool exact = true;

	for (unsigned row = 0; row < nr_rows; row++) {
		uint64_t mask = UINT64_MAX >> (64 - rows[row].bits);
		uint64_t off = (rows[row].sum() - changes_of(row)) & mask;

		if (off == 0)
			continue;
		printf("%s: wrong, by %llu modulo 2^%u\n", rows[row].name,
		       (unsigned long long)off, rows[row].bits);
		exact = false;
	}
	return exact;
}

struct totals {
	uint64_t steps;
	uint64_t handler_steps;
	uint64_t committed;
	uint64_t aborted;
	uint64_t lost;
	uint64_t moves;
	uint64_t signals;
};

static struct totals totals(void)
{
	struct totals t = { 0 };
	uint64_t controls = 0;

	for (unsigned i = 0; i < crowd.workers + crowd.wakers; i++) {
		const struct member *m = &crowd.member[i];

		t.steps += m->steps;
		t.handler_steps += m->handler_steps;
		t.committed += m->committed;
		t.aborted += m->aborted;
		t.moves += m->moves;
		t.signals += m->signals;
		controls += m->controls;
	}
	t.lost = controls - crowd_control_sum();
	return t;
}

static void tell(const struct totals *t, unsigned rounds)
{
	printf("%u workers, %u rounds, %llu operations, %llu in handlers; ",
	       crowd.workers, rounds, (unsigned long long)t->steps,
	       (unsigned long long)t->handler_steps);
	printf("%llu moves, %llu signals, %llu toggles\n",
	       (unsigned long long)t->moves, (unsigned long long)t->signals,
	       (unsigned long long)crowd.toggled);
	printf("%llu sections, %llu aborted; the control lost %llu\n",
	       (unsigned long long)t->committed, (unsigned long long)t->aborted,
	       (unsigned long long)t->lost);
}

int main(int argc, char **argv)
{
	struct options o = parse(argc, argv);
	struct totals t = { 0 };
	unsigned round = 0;
	bool exact = true;

	check_machine(&o);
	rows_init();
	while (exact && (round < o.rounds || ((t.aborted == 0 || t.lost == 0) &&
					      round < ROUNDS_MAX))) {
		crowd_round(&crowd);
		round++;
		exact = are_exact();
		t = totals();
	}
	tell(&t, round);
	CHECK(exact);
	CHECK_EQ(crowd_section_sum(), t.committed);
	if (t.aborted == 0)
		FAIL("proved nothing: no section was aborted");
	if (t.lost == 0)
		FAIL("proved nothing: the control lost nothing");
	return TEST_PASS;
}
