/* SPDX-License-Identifier: MIT */
#ifndef PERCPU_SRC_SLOT_H
#define PERCPU_SRC_SLOT_H
/*
 * slot.h: which slot this thread uses, and by what means. percpu_this_slot()
 * of cpu.h and the raw pointers of twins.h are its public part.
 */
#include "section.h"

/*
 * Prepare a sequence on @h in *@s: false if this thread may not run any, since
 * the policy has none or it has no area.
 */
bool percpu__slot_section(struct percpu__section *s, void *h);

/*
 * The object of @h on which a thread that runs no sequence uses atomics: under
 * the policy atomic this CPU's unit, else the shared slot. With @refused false
 * under a policy of sequences the thread has only been interrupted too often.
 */
void *percpu__slot_atomic(void *h);

#endif
