/* SPDX-License-Identifier: MIT */
#ifndef PERCPU_SRC_DEBUG_REPORT_H
#define PERCPU_SRC_DEBUG_REPORT_H
/*
 * debug_report.h: what is known about an address in somebody else's report.
 */

/* Say it on standard error, if anything is. */
void percpu__debug_report(const void *p);

#endif
