/* SPDX-License-Identifier: MIT */
#ifndef PERCPU_SRC_MESSAGE_H
#define PERCPU_SRC_MESSAGE_H
/*
 * message.h: what the library says on standard error: one line, after
 * "libpercpu: ", of at most 500 bytes. Nothing here allocates.
 */

__attribute__((format(printf, 1, 2))) void percpu__message(const char *fmt,
							   ...);

/* The same, then abort(). */
__attribute__((format(printf, 1, 2), noreturn)) void
percpu__message_abort(const char *fmt, ...);

#endif
