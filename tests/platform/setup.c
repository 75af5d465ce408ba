/* SPDX-License-Identifier: MIT */
/*
 * percpu_setup: each policy gives its mode and reason, what is impossible or
 * meaningless is refused and changes nothing, the environment goes before the
 * program, and nothing is set up after the first use.
 *
 * What the kernel has is this test's word (ld --wrap); each case is a process.
 */
#include "check.h"

#include <percpu/percpu.h>

#include "area.h"
#include "os.h"

#include <errno.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int rseq_error; /* 0: as this machine has it */
static bool have_cid;

int __real_percpu__area_start(enum percpu__owner *owner);
int __wrap_percpu__area_start(enum percpu__owner *owner);
bool __wrap_percpu__os_has_cid(void);

int __wrap_percpu__area_start(enum percpu__owner *owner)
{
	return rseq_error != 0 ? rseq_error : __real_percpu__area_start(owner);
}

bool __wrap_percpu__os_has_cid(void)
{
	return have_cid;
}

static int setup(int policy, int index)
{
	struct percpu_options opt = { sizeof(opt), policy, index };

	return percpu_setup(&opt);
}

/* What this thread uses is @mode, and the reason says @word. */
static void check_backend(enum percpu_mode mode, const char *word)
{
	const char *why;

	CHECK_EQ(percpu_backend(&why), mode);
	if (strstr(why, word) == NULL)
		FAIL("'%s' does not say '%s'", why, word);
	CHECK_EQ(percpu_backend(NULL), mode);
}

/* What is in force is @policy and @index. */
static void check_in_force(int policy, int index)
{
	struct percpu_options opt;

	percpu_in_force(&opt);
	CHECK_EQ(opt.size, sizeof(opt));
	CHECK_EQ(opt.policy, policy);
	CHECK_EQ(opt.index, index);
}

/* An add under the policy in force reaches the slot that it should. */
static void check_add(enum percpu_mode mode)
{
	uint64_t PERCPU *h = percpu_new(uint64_t);

	CHECK(h != NULL);
	percpu_add(h, 3);
	CHECK_EQ(percpu_sum(h), 3);
	CHECK_EQ(*percpu_shared_ptr(h), mode == PERCPU_MODE_SHARED ? 3 : 0);
	percpu_free(h);
}

static void atomic_policy(void)
{
	CHECK_EQ(setup(PERCPU_POLICY_ATOMIC, PERCPU_INDEX_CPU), 0);
	check_backend(PERCPU_MODE_ATOMIC, "percpu_setup");
	check_in_force(PERCPU_POLICY_ATOMIC, PERCPU_INDEX_CPU);
	check_add(PERCPU_MODE_ATOMIC);
}

static void shared_policy(void)
{
	CHECK_EQ(setup(PERCPU_POLICY_SHARED, PERCPU_INDEX_CPU), 0);
	check_backend(PERCPU_MODE_SHARED, "percpu_setup");
	check_in_force(PERCPU_POLICY_SHARED, PERCPU_INDEX_CPU);
	CHECK_EQ(percpu_this_slot(), percpu_nr_slots());
	check_add(PERCPU_MODE_SHARED);
}

static void rseq_policy(void)
{
	int ret = setup(PERCPU_POLICY_RSEQ, PERCPU_INDEX_CPU);

	if (ret == -EOPNOTSUPP)
		SKIP("no restartable sequences here");
	CHECK_EQ(ret, 0);
	check_backend(PERCPU_MODE_RSEQ, "registers");
	check_in_force(PERCPU_POLICY_RSEQ, PERCPU_INDEX_CPU);
	check_add(PERCPU_MODE_RSEQ);
}

static void auto_policy(void)
{
	CHECK_EQ(setup(PERCPU_POLICY_AUTO, PERCPU_INDEX_CPU), 0);
	rseq_error = -ENOSYS; /* the decision stands */
	check_add(percpu_backend(NULL));
}

static void auto_without_rseq(void)
{
	rseq_error = -ENOSYS;
	CHECK_EQ(setup(PERCPU_POLICY_AUTO, PERCPU_INDEX_CPU), 0);
	check_backend(PERCPU_MODE_ATOMIC, "the kernel has no");
	check_add(PERCPU_MODE_ATOMIC);
}

static void auto_refused(void)
{
	rseq_error = -EPERM;
	check_backend(PERCPU_MODE_ATOMIC, "seccomp");
}

static void auto_dead(void)
{
	rseq_error = -EIO;
	check_backend(PERCPU_MODE_ATOMIC, "does not run");
}

static void rseq_impossible(void)
{
	rseq_error = -EPERM;
	CHECK_EQ(setup(PERCPU_POLICY_RSEQ, PERCPU_INDEX_CPU), -EOPNOTSUPP);
	/* Nothing has changed: another choice is still free. */
	CHECK_EQ(setup(PERCPU_POLICY_SHARED, PERCPU_INDEX_CPU), 0);
	check_backend(PERCPU_MODE_SHARED, "percpu_setup");
}

static void cid_impossible(void)
{
	CHECK_EQ(setup(PERCPU_POLICY_ATOMIC, PERCPU_INDEX_CID), -EOPNOTSUPP);
	CHECK_EQ(setup(PERCPU_POLICY_SHARED, PERCPU_INDEX_CID), -EOPNOTSUPP);
	have_cid = false;
	CHECK_EQ(setup(PERCPU_POLICY_AUTO, PERCPU_INDEX_CID), -EOPNOTSUPP);
	CHECK_EQ(setup(PERCPU_POLICY_AUTO, PERCPU_INDEX_CPU), 0);
}

static void meaningless(void)
{
	struct percpu_options opt = { sizeof(opt), 0, 0 };

	CHECK_EQ(percpu_setup(NULL), -EINVAL);
	opt.size = sizeof(opt) - 1;
	CHECK_EQ(percpu_setup(&opt), -EINVAL);
	opt.size = sizeof(opt) + 8;
	CHECK_EQ(percpu_setup(&opt), -EINVAL);
	CHECK_EQ(setup(-1, PERCPU_INDEX_CPU), -EINVAL);
	CHECK_EQ(setup(PERCPU_POLICY_SHARED + 1, PERCPU_INDEX_CPU), -EINVAL);
	CHECK_EQ(setup(PERCPU_POLICY_AUTO, -1), -EINVAL);
	CHECK_EQ(setup(PERCPU_POLICY_AUTO, PERCPU_INDEX_CID + 1), -EINVAL);
	CHECK_EQ(setup(PERCPU_POLICY_SHARED, PERCPU_INDEX_CPU), 0);
}

static void twice(void)
{
	CHECK_EQ(setup(PERCPU_POLICY_SHARED, PERCPU_INDEX_CPU), 0);
	CHECK_EQ(setup(PERCPU_POLICY_SHARED, PERCPU_INDEX_CPU), -EBUSY);
	CHECK_EQ(setup(PERCPU_POLICY_ATOMIC, PERCPU_INDEX_CPU), -EBUSY);
	check_backend(PERCPU_MODE_SHARED, "percpu_setup");
}

/* Each of these is a first use. */
static void use(int which)
{
	switch (which) {
	case 0: percpu_backend(NULL); break;
	case 1: percpu_nr_slots(); break;
	case 2: percpu_this_slot(); break;
	case 3: percpu_stride(); break;
	case 4: percpu_max_size(); break;
	default: CHECK(percpu_alloc(8, 8) != NULL); break;
	}
}

static int which_use;

static void after_use(void)
{
	enum percpu_mode mode;

	use(which_use);
	mode = percpu_backend(NULL);
	CHECK_EQ(setup(PERCPU_POLICY_SHARED, PERCPU_INDEX_CPU), -EBUSY);
	CHECK_EQ(percpu_backend(NULL), mode);
}

/* These ask about the machine and latch nothing. */
static void after_queries(void)
{
	percpu_nr_cpu_ids();
	percpu_this_cpu();
	percpu_cpu_possible(0);
	percpu_cpu_online(0);
	percpu_cpu_allowed(0);
	percpu_cpu_to_node(0);
	percpu_line_size();
	CHECK_EQ(setup(PERCPU_POLICY_SHARED, PERCPU_INDEX_CPU), 0);
}

static void environment_first(void)
{
	setenv("PERCPU_BACKEND", "shared", 1);
	CHECK_EQ(setup(PERCPU_POLICY_ATOMIC, PERCPU_INDEX_CPU), 0);
	check_backend(PERCPU_MODE_SHARED, "PERCPU_BACKEND");
}

/* The operator's word is no reason to fail a program, nor one against it. */
static void environment_over_impossible(void)
{
	rseq_error = -EPERM;
	setenv("PERCPU_BACKEND", "rseq", 1);
	CHECK_EQ(setup(PERCPU_POLICY_SHARED, PERCPU_INDEX_CPU), 0);
	check_backend(PERCPU_MODE_ATOMIC, "seccomp");
}

static void environment_against_cid(void)
{
	setenv("PERCPU_BACKEND", "atomic", 1);
	CHECK_EQ(setup(PERCPU_POLICY_RSEQ, PERCPU_INDEX_CID), 0);
	check_backend(PERCPU_MODE_ATOMIC, "PERCPU_BACKEND");
}

static void environment_rubbish(void)
{
	setenv("PERCPU_BACKEND", "sharde", 1);
	fclose(stderr);
	CHECK_EQ(setup(PERCPU_POLICY_SHARED, PERCPU_INDEX_CPU), 0);
	check_backend(PERCPU_MODE_SHARED, "percpu_setup");
}

static void run(const char *name, void (*body)(void))
{
	int status;
	pid_t child = fork();

	if (child == 0) {
		have_cid = true;
		unsetenv("PERCPU_BACKEND");
		unsetenv("PERCPU_INDEX");
		body();
		exit(TEST_PASS);
	}
	CHECK(waitpid(child, &status, 0) == child);
	if (!WIFEXITED(status) || (WEXITSTATUS(status) != TEST_PASS &&
				   WEXITSTATUS(status) != TEST_SKIP))
		FAIL("case %s", name);
}

int main(void)
{
#define RUN(body) run(#body, body)
	RUN(atomic_policy);
	RUN(shared_policy);
	RUN(rseq_policy);
	RUN(auto_policy);
	RUN(auto_without_rseq);
	RUN(auto_refused);
	RUN(auto_dead);
	RUN(rseq_impossible);
	RUN(cid_impossible);
	RUN(meaningless);
	RUN(twice);
	for (which_use = 0; which_use < 6; which_use++)
		RUN(after_use);
	RUN(after_queries);
	RUN(environment_first);
	RUN(environment_over_impossible);
	RUN(environment_against_cid);
	RUN(environment_rubbish);
	return TEST_PASS;
}
