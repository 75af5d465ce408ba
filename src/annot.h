/* SPDX-License-Identifier: MIT */
#ifndef PERCPU_SRC_ANNOT_H
#define PERCPU_SRC_ANNOT_H
/*
 * annot.h: what AddressSanitizer and Valgrind are told about memory, and
 * ThreadSanitizer about order. Where none watches the program, all of this does
 * nothing.
 *
 * A region is open or shut; a program that touches a shut byte is reported.
 * Regions start at multiples of 8 where they are opened, anywhere where they
 * are shut: AddressSanitizer's shadow knows of 8 bytes how many of the first
 * are open.
 */
#include <stdbool.h>
#include <stddef.h>

/* Why a region is shut: what a report calls it. */
enum percpu__annot {
	PERCPU__ANNOT_OUTSIDE, /* of every object */
	PERCPU__ANNOT_FREED
};

/* annot_asan.c: the library itself is not built with the sanitizer. */

bool percpu__annot_asan_on(void);
void percpu__annot_asan_open(const void *p, size_t len);
void percpu__annot_asan_shut(const void *p, size_t len, enum percpu__annot why);

/* Whether a search for leaks looks for pointers in [p, p + len). */
void percpu__annot_asan_root(const void *p, size_t len, bool is);

/* Have @report called after each report, with the address that is wrong. */
void percpu__annot_asan_reports(void (*report)(const void *p));

/* The name of the function and line at @pc; "" if it is not known. */
void percpu__annot_asan_name(const void *pc, char *name, size_t size);

/*
 * annot_tsan.c: what comes before a release of @p comes before what follows an
 * acquire of it.
 */

bool percpu__annot_tsan_on(void);
void percpu__annot_tsan_acquire(const void *p);
void percpu__annot_tsan_release(const void *p);

/* annot_valgrind.c */

bool percpu__annot_valgrind_on(void);
void percpu__annot_valgrind_open(const void *p, size_t len);
void percpu__annot_valgrind_shut(const void *p, size_t len);

/*
 * [p, p + size) is a block, as from malloc, until it is freed: reports name it
 * and who asked for it. A search for leaks looks for a pointer to it.
 */
void percpu__annot_valgrind_block(const void *p, size_t size);
void percpu__annot_valgrind_unblock(const void *p);

#endif
