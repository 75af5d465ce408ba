/* SPDX-License-Identifier: MIT */
#ifndef PERCPU_SRC_RETIRE_H
#define PERCPU_SRC_RETIRE_H
/*
 * retire.h: pages of CPUs that are gone, on which live objects lie. An object
 * may lose its slot of such a CPU if its owner has said of which kind it is,
 * and the kind knows how to turn away who comes to that slot.
 *
 * An object is a row of items, each retired by itself. *Marked*: all that come
 * to this item in this slot go elsewhere. The mark is one word of the item, or
 * lies elsewhere.
 */
#include <percpu/base.h>

#include <stdbool.h>
#include <stdint.h>

enum percpu__retire_kinds {
	PERCPU__RETIRE_NONE,
	PERCPU__RETIRE_COUNTER,
	PERCPU__RETIRE_REF,
	PERCPU__RETIRE_KINDS
};

#define PERCPU__RETIRE_ELSEWHERE UINT32_MAX

/* @h is an item's handle. */
struct percpu__retire_kind {
	uint32_t bytes; /* of an item */
	uint32_t mark_at;

	/* NULL, or called before the first mark of a chunk, and after all. */
	void (*start)(void);
	void (*end)(void);

	/* Mark it, or it is marked; false if that cannot be now. */
	bool (*mark)(void *h, uint32_t slot);

	/* After a fence: nobody wrote over the mark. */
	bool (*marked)(void *h, uint32_t slot);

	/*
	 * Move what this slot of a marked item has, to where it counts as
	 * well: from then on all of it is zero, but for the mark. False with
	 * nothing changed if that cannot be now. Again is harmless.
	 */
	bool (*move)(void *h, uint32_t slot);

	/*
	 * Take the mark away; of what was moved only after a second fence.
	 * All bytes zero are an item that is not marked. NULL for marks
	 * elsewhere, which go at the end.
	 */
	void (*unmark)(void *h, uint32_t slot);

	/*
	 * In a child of fork: put in order what was in the middle of move; NULL
	 * if there is nothing to do.
	 */
	void (*settle)(void);
};

/*
 * @h, of 8 bytes or more, is of that kind from now on, until
 * disagree, which comes before percpu_free(). Agree: any context. Disagree may
 * wait for somebody who retires pages; not for signal handlers.
 */
void percpu__retire_agree(void PERCPU *h, enum percpu__retire_kinds number,
			  const struct percpu__retire_kind *kind);
void percpu__retire_disagree(void PERCPU *h);

/*
 * Give back pages in the units of slots that @left is true for, and of those
 * that @gone is true for where a call before this had to leave something. Under
 * a policy where slots are CPUs.
 */
void percpu__retire_slots(bool (*left)(unsigned slot),
			  bool (*gone)(unsigned slot));

#endif
