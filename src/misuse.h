/* SPDX-License-Identifier: MIT */
#ifndef PERCPU_SRC_MISUSE_H
#define PERCPU_SRC_MISUSE_H
/*
 * misuse.h: a mistake of the program's is said, and ends it; with
 * PERCPU_MISUSE=warn in the environment it is said, with what the call does
 * @instead, and the call returns.
 */
#include <stdbool.h>

__attribute__((format(printf, 2, 3), cold)) void
percpu__misuse(const char *instead, const char *fmt, ...);

/* What the environment says, which the first use of the library looks at. */
bool percpu__misuse_is_fatal(void);

#endif
