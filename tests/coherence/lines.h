/* SPDX-License-Identifier: MIT */
#ifndef TESTS_COHERENCE_LINES_H
#define TESTS_COHERENCE_LINES_H
/*
 * lines.h: which virtual CPUs hold which cache lines. Caches are infinite;
 * a line is held by one CPU that may have written it, or by any number that
 * have not.
 */
#include <stdbool.h>
#include <stdint.h>

#define LINES_BYTES 64u
#define LINES_CPUS 256u

/*
 * @cpu reads or writes the line of @address. True if the line moves: a read
 * of what another CPU wrote since this one last held the line, or a write to a
 * line that others hold.
 */
bool lines_read(unsigned cpu, uintptr_t address);
bool lines_write(unsigned cpu, uintptr_t address);

#endif
