/* SPDX-License-Identifier: MIT */
/*
 * A variable of the environment that means nothing is named once, with what it
 * may be and what is used instead; what means something, and nothing, are not.
 */
#include "apart.h"

#include <percpu/percpu.h>

static void nothing(void *arg)
{
	(void)arg;
}

/* All that reads the environment, and reads it twice. */
static void use(void *arg)
{
	(void)arg;
	for (int i = 0; i < 2; i++) {
		void PERCPU *h = percpu_alloc(8, 8);

		CHECK(h != NULL);
		percpu_call((unsigned)percpu_this_cpu(), nothing, NULL);
		percpu_free(h);
	}
}

static void mistake(void *arg)
{
	CHECK(percpu_alloc(8, 8) != NULL);
	percpu_free(arg);
}

static void run(const char *name, const char *word)
{
	setenv(name, word, 1);
	CHECK_EQ(apart(use, NULL), TEST_PASS);
	unsetenv(name);
}

static void is_ignored(const char *name, const char *word, const char *use_it,
		       const char *used)
{
	char said[256];

	snprintf(said, sizeof(said),
		 "libpercpu: %s=%s is ignored; it may be %s; used is %s\n",
		 name, word, use_it, used);
	run(name, word);
	if (strcmp(apart_said, said) != 0)
		FAIL("'%s' said, not '%s'", apart_said, said);
}

static void is_known(const char *name, const char *word)
{
	run(name, word);
	if (apart_said[0] != '\0')
		FAIL("%s=%s: %s", name, word, apart_said);
}

/* It is not taken for the word that goes on; @said so many times. */
static void check_fatal(const char *word, unsigned said)
{
	static char page;
	const char *at = apart_said;
	int status;

	setenv("PERCPU_MISUSE", word, 1);
	status = apart(mistake, &page);
	unsetenv("PERCPU_MISUSE");
	CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
	for (; (at = strstr(at, "is ignored")) != NULL; at++)
		CHECK(said-- > 0);
	CHECK_EQ(said, 0);
}

int main(void)
{
	static const char backends[] = "auto, rseq, atomic, shared";
	static const char asked[] = "what the program asks for";
	static const char numbers[] = "a number from 0 to 4294967295";
	static const char ten[] = "10000 milliseconds";
	static const char *const bad[] = { "x",	  "7x", "-1",	     " 5",
					   "1e3", "+1", "4294967296" };

	is_ignored("PERCPU_BACKEND", "garbage", backends, asked);
	is_ignored("PERCPU_BACKEND", "RSEQ", backends, asked);
	is_ignored("PERCPU_INDEX", "numa", "cpu, cid", asked);
	is_ignored("PERCPU_MISUSE", "Warn", "abort, warn", "abort");
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		is_ignored("PERCPU_CALL_TIMEOUT", bad[i], numbers, ten);
	is_known("PERCPU_BACKEND", "atomic");
	is_known("PERCPU_BACKEND", "");
	is_known("PERCPU_INDEX", "cid");
	is_known("PERCPU_MISUSE", "abort");
	is_known("PERCPU_MISUSE", "");
	is_known("PERCPU_CALL_TIMEOUT", "");
	is_known("PERCPU_CALL_TIMEOUT", "0");
	is_known("PERCPU_CALL_TIMEOUT", "4294967295");
	check_fatal("abort", 0);
	check_fatal("warm", 1);
	return TEST_PASS;
}
