/* SPDX-License-Identifier: MIT */
/*
 * debug_report.c: a line after each report of AddressSanitizer on an address
 * that belongs to an object: which object and slot, who asked for it, and who
 * freed it. The sanitizer knows that of malloc's memory only.
 *
 * It has room for one function that is called after a report. This one is put
 * there by a constructor (debug.c), so a program that sets its own has its own.
 */
#include "debug_report.h"
#include "annot.h"
#include "debug_notes.h"
#include "message.h"

#include <stdio.h>

static void name(const void *pc, char *text, size_t size)
{
	if (pc == NULL)
		snprintf(text, size, "nobody");
	else
		percpu__annot_asan_name(pc, text, size);
	if (text[0] == '\0')
		snprintf(text, size, "%p", pc);
}

void percpu__debug_report(const void *p)
{
	struct percpu__debug_found at;
	char given[120];
	char taken[120];
	size_t size;

	if (!percpu__debug_notes_find(p, &at))
		return;
	size = at.note->size;
	name(at.note->given, given, sizeof(given));
	name(at.note->taken, taken, sizeof(taken));
	percpu__message(
		"%p is %zu bytes %s the %zu-byte object %p in slot %u, asked for by %s, freed by %s",
		p, at.offset < size ? at.offset : at.offset - size,
		at.offset < size ? "inside" : "after", size, at.h,
		(unsigned)at.slot, given, taken);
}
