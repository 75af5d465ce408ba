/* SPDX-License-Identifier: MIT */
/*
 * info_kernel.c: what kernel and libc offer. Each is asked itself, not judged
 * by its version: features are backported, filtered and emulated away.
 */
#include "info.h"
#include "info_file.h"

#include <errno.h>
#include <linux/membarrier.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#if defined(__has_include)
#if __has_include(<gnu/libc-version.h>)
#include <gnu/libc-version.h>
#define HAVE_GLIBC 1
#endif
#if __has_include(<sys/rseq.h>)
#include <sys/rseq.h>
#define HAVE_LIBC_AREA 1
#endif
#endif

#ifndef AT_RSEQ_FEATURE_SIZE
#define AT_RSEQ_FEATURE_SIZE 27
#endif

/* Where mm_cid ends in struct rseq. */
#define CID_END 28

static char *libc_name(void)
{
	char *text;
	size_t size;
	FILE *f = info_memstream(&text, &size);

#ifdef HAVE_GLIBC
	fprintf(f, "glibc %s", gnu_get_libc_version());
#else
	fputs("not glibc", f);
#endif
	fclose(f);
	return text;
}

static enum info_answer answer_of(long ret)
{
	if (ret >= 0)
		return INFO_YES;
	return errno == ENOSYS ? INFO_NO : INFO_REFUSED;
}

/*
 * A length of 0 is invalid in every kernel, whether or not an area is
 * registered: EINVAL says that the call is there, and nothing has changed.
 */
static void ask_rseq(struct info_kernel *k)
{
	long ret = syscall(SYS_rseq, NULL, 0, 0, 0);

	k->rseq = ret < 0 && errno == EINVAL ? INFO_YES : answer_of(ret);
	k->rseq_error = k->rseq == INFO_REFUSED ? strerror(errno) : NULL;
	k->rseq_feature = getauxval(AT_RSEQ_FEATURE_SIZE);
	k->mm_cid = k->rseq == INFO_YES && k->rseq_feature >= CID_END;
#ifdef HAVE_LIBC_AREA
	k->libc_has_area = true;
	k->libc_rseq_size = __rseq_size;
#endif
}

static void ask_membarrier(struct info_kernel *k)
{
	long ret = syscall(SYS_membarrier, MEMBARRIER_CMD_QUERY, 0, 0);

	k->membarrier = answer_of(ret);
	k->fence_rseq =
		ret >= 0 && (ret & MEMBARRIER_CMD_PRIVATE_EXPEDITED_RSEQ) != 0;
}

/* The word in brackets of "always [madvise] never". */
static char *hugepages(void)
{
	char *line = info_line("/sys/kernel/mm/transparent_hugepage/enabled");
	char *word = line != NULL ? strchr(line, '[') : NULL;

	if (word == NULL) {
		free(line);
		return NULL;
	}
	word[strcspn(word, "]")] = '\0';
	memmove(line, word + 1, strlen(word));
	return line;
}

void info_kernel(struct info_kernel *k)
{
	struct utsname name;
	long page = sysconf(_SC_PAGESIZE);

	memset(k, 0, sizeof(*k));
	if (uname(&name) == 0)
		k->release = strdup(name.release);
	k->libc = libc_name();
	ask_rseq(k);
	ask_membarrier(k);
	k->page_size = page > 0 ? (size_t)page : 0;
	k->hugepages = hugepages();
	k->line = percpu_line_size();
}
