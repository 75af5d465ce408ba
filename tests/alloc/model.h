/* SPDX-License-Identifier: MIT */
#ifndef TESTS_ALLOC_MODEL_H
#define TESTS_ALLOC_MODEL_H
/*
 * model.h: what must be true of objects, known without the library's books.
 *
 * An object belongs to one thread at a time. Its bytes follow from one number,
 * the pattern, which says for each slot whether it was written and with what;
 * pattern 0 is an object in which nothing was written. So a byte that anybody
 * else wrote, in any slot, is seen when the object is checked.
 *
 * A map of all grains of all units, one bit for each, tells who overlaps whom.
 * Every slot of an object is as far from its handle as every other object's, so
 * the map is of handles. Any thread may use it.
 */
#include <percpu/percpu.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct object {
	char PERCPU *h;
	size_t size;   /* as asked */
	size_t usable; /* as given */
	uint64_t pattern;
	struct object *prev; /* for the owner's use */
	struct object *next;
};

/*
 * Enter what percpu_alloc(@size, @align) gave: zero and aligned in every slot,
 * and nobody else's.
 */
void model_enter(struct object *o, char PERCPU *h, size_t size, size_t align);

/* Write @pattern into the slots that it names, zero into the others. */
void model_write(struct object *o, uint64_t pattern);

/* All bytes of all slots are as they were written. */
void model_check(const struct object *o);

/* Check @o and strike it out; percpu_free() comes next. */
void model_leave(struct object *o);

#endif
