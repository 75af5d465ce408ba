/* SPDX-License-Identifier: MIT */
#ifndef TESTS_SUPPORT_UNREGISTER_H
#define TESTS_SUPPORT_UNREGISTER_H
/*
 * unregister.h: undo, behind everybody's back, what libc registered.
 */
#include "check.h"

#include <sys/rseq.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef RSEQ_SIG
#error "libc registers no restartable sequences here"
#endif

enum { LIBC_AREA_LEN = 32 };

static inline void *libc_area(void)
{
	return (char *)__builtin_thread_pointer() + __rseq_offset;
}

/* This thread's restartable sequences end; the kernel sets its cpu_id to -1. */
static inline void unregister(void)
{
	if (syscall(__NR_rseq, libc_area(), LIBC_AREA_LEN, RSEQ_FLAG_UNREGISTER,
		    RSEQ_SIG) != 0)
		SKIP("there is no registration of libc's to undo");
}

#endif
