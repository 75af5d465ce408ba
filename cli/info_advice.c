/* SPDX-License-Identifier: MIT */
/*
 * info_advice.c: what would make it faster. Each piece of advice has a cause
 * that was seen, names it, and says what to do about it.
 */
#include "info.h"
#include "info_file.h"

#include <percpu/base.h>

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

__attribute__((format(printf, 2, 3))) static void
advise(struct info_advice *a, const char *format, ...)
{
	size_t size;
	va_list args;
	FILE *f;

	if (a->count == sizeof(a->text) / sizeof(a->text[0]))
		return;
	f = info_memstream(&a->text[a->count++], &size);
	va_start(args, format);
	vfprintf(f, format, args);
	va_end(args);
	fclose(f);
}

static bool env_is(const char *name, const char *word)
{
	const char *value = secure_getenv(name);

	return value != NULL && strcmp(value, word) == 0;
}

static void on_environment(struct info *info)
{
	struct info_advice *a = &info->advice;
	const char *tunables = getenv("GLIBC_TUNABLES");
	const char *backend = secure_getenv("PERCPU_BACKEND");

	if (info->policy.word_unknown)
		advise(a,
		       "PERCPU_BACKEND=%.40s means nothing and was ignored: "
		       "unset it, or use auto, rseq, atomic or shared",
		       backend);
	if (env_is("PERCPU_BACKEND", "atomic") ||
	    env_is("PERCPU_BACKEND", "shared"))
		advise(a,
		       "PERCPU_BACKEND=%s forces atomics: unset it, and adds "
		       "need no atomics where the kernel has restartable "
		       "sequences",
		       backend);
	if (tunables != NULL &&
	    strstr(tunables, "glibc.pthread.rseq=0") != NULL)
		advise(a, "GLIBC_TUNABLES has glibc.pthread.rseq=0: without it "
			  "libc registers each thread as it starts, and none "
			  "pays for that later");
	if (env_is("PERCPU_INDEX", "cid") &&
	    strcmp(info->policy.index, "cid") != 0)
		advise(a,
		       "PERCPU_INDEX=cid cannot be had (%s), so slots are "
		       "numbered by CPU",
		       info->kernel.mm_cid ? "the policy is not rseq" :
					     "it needs Linux 6.3");
}

static void on_kernel(struct info *info)
{
	struct info_advice *a = &info->advice;
	const struct info_kernel *k = &info->kernel;

	if (k->rseq == INFO_NO)
		advise(a, "the kernel has no rseq call: Linux 4.18 or newer, "
			  "and no emulator or valgrind, makes adds plain");
	if (k->rseq == INFO_REFUSED)
		advise(a,
		       "the rseq call is refused (%s): allow it in the seccomp "
		       "filter of the container or service",
		       k->rseq_error);
	if (k->rseq == INFO_YES && !k->mm_cid)
		advise(a, "the kernel keeps no concurrency id: Linux 6.3 or "
			  "newer can touch as few slots as threads run at a "
			  "time");
}

static void on_thread(struct info *info)
{
	struct info_advice *a = &info->advice;
	const struct info_policy *p = &info->policy;
	const struct info_kernel *k = &info->kernel;

	if (p->hindered)
		advise(a, "threads like this one share one slot: %s", p->why);
	if (p->mode == PERCPU_MODE_ATOMIC && k->rseq == INFO_YES &&
	    !env_is("PERCPU_BACKEND", "atomic"))
		advise(a, "policy atomic because %s", p->why);
	if (p->mode == PERCPU_MODE_RSEQ && !k->libc_has_area)
		advise(a, "this libc has no place for restartable sequences: "
			  "with glibc 2.35 or newer, operations are inlined");
}

static void on_lines(struct info *info)
{
	struct info_advice *a = &info->advice;
	size_t line = info->kernel.line;

	if (line > PERCPU_LINE)
		advise(a,
		       "cache lines have %zu bytes here and PERCPU_LINE is %d: "
		       "neighbours share lines; build library and programs "
		       "with -DPERCPU_LINE=%zu",
		       line, PERCPU_LINE, line);
	if (line < PERCPU_LINE)
		advise(a,
		       "cache lines have %zu bytes here and PERCPU_LINE is %d: "
		       "right on every machine of this kind, and more padding "
		       "than this one needs",
		       line, PERCPU_LINE);
}

void info_advice(struct info *info)
{
	info->advice.count = 0;
	on_environment(info);
	on_kernel(info);
	on_thread(info);
	on_lines(info);
}
