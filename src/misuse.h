/* SPDX-License-Identifier: MIT */
#ifndef PERCPU_SRC_MISUSE_H
#define PERCPU_SRC_MISUSE_H
/*
 * misuse.h: a mistake of the program's is said, and ends it; with
 * PERCPU_MISUSE=warn in the environment it is said, with what the call does
 * @instead, and the call returns.
 */

__attribute__((format(printf, 2, 3), cold)) void
percpu__misuse(const char *instead, const char *fmt, ...);

#endif
