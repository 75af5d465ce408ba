/* SPDX-License-Identifier: MIT */
/*
 * process.c: a process for each slot policy.
 *
 *   reporting process                 measuring process
 *     fork() ------------------------>  percpu_setup(policy)
 *     getline() <--- a JSON line -----  bench_emit()
 *     waitpid() <---------------------  _exit()
 *
 * The policy is latched at the first use of the library and stays. So the
 * reporting process never uses it, and measures nothing. A crash of a
 * measuring process is a line in the report and not its end.
 */
#include "process.h"

#include <percpu/cpu.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

void bench_emit(const struct bench *b, const char *kind, json_t *value)
{
	json_t *line = json_pack("{s:o}", kind, value);

	if (line == NULL ||
	    json_dumpf(line, b->out, JSON_COMPACT | JSON_REAL_PRECISION(9)) < 0)
		_exit(1);
	json_decref(line);
	fputc('\n', b->out);
	fflush(b->out);
}

/* The environment would go before what the part asks for. */
static int set_policy(const struct part *part)
{
	struct percpu_options options = { sizeof(options), part->policy_nr,
					  part->index_nr };

	if (part->policy_nr == PERCPU_POLICY_AUTO &&
	    part->index_nr == PERCPU_INDEX_CPU)
		return 0;
	unsetenv("PERCPU_BACKEND");
	unsetenv("PERCPU_INDEX");
	return percpu_setup(&options);
}

static void measure(const struct part *part, struct bench b, int fd)
{
	int err;

	b.out = fdopen(fd, "w");
	if (b.out == NULL)
		_exit(1);
	err = set_policy(part);
	if (err < 0)
		bench_emit(&b, "skipped",
			   json_pack("{s:s, s:s}", "policy", part->policy,
				     "why",
				     err == -EOPNOTSUPP ?
					     "this kernel does not have it" :
					     strerror(-err)));
	else
		part->run(&b);
	_exit(fclose(b.out) == 0 ? 0 : 1);
}

static void collect(int fd, void (*take)(json_t *value, void *arg), void *arg)
{
	FILE *in = fdopen(fd, "r");
	char *line = NULL;
	size_t size = 0;

	while (in != NULL && getline(&line, &size, in) > 0) {
		json_t *value = json_loads(line, 0, NULL);

		if (value != NULL)
			take(value, arg);
		json_decref(value);
	}
	free(line);
	if (in != NULL)
		fclose(in);
	else
		close(fd);
}

static int failure(const struct part *part, int status)
{
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return 0;
	fprintf(stderr, "percpu bench: measuring (policy %s) ended by %s %d\n",
		part->policy, WIFSIGNALED(status) ? "signal" : "exit status",
		WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
	return -1;
}

int process_run(const struct part *part, const struct bench *b,
		void (*take)(json_t *value, void *arg), void *arg)
{
	int ends[2], status;
	pid_t pid;

	fflush(NULL);
	if (pipe(ends) != 0 || (pid = fork()) < 0) {
		fprintf(stderr, "percpu bench: no process to measure in: %s\n",
			strerror(errno));
		return -1;
	}
	if (pid == 0) {
		close(ends[0]);
		measure(part, *b, ends[1]);
	}
	close(ends[1]);
	collect(ends[0], take, arg);
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -1;
	return failure(part, status);
}
