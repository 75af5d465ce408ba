/* SPDX-License-Identifier: MIT */
#ifndef PERCPU_SRC_DEBUG_H
#define PERCPU_SRC_DEBUG_H
/*
 * debug.h: what the allocator does more for a program that looks for mistakes.
 *
 * All of it is for allocations and frees that no cache took: where
 * percpu__debug_on() is true there are no caches, else nothing but
 * percpu__debug_chunk() is called. An object, in the allocator's calls:
 *
 *   room = percpu__debug_room(size)      take so much, at a multiple of 8
 *   percpu__debug_open(h, room)          may be read and written now
 *   make [0, room) zero in every slot, copy the image
 *   percpu__debug_given(h, size, room)   the rest of room is shut: red zone
 *        ... the program has it ...
 *   see that percpu_free(h) is right
 *   percpu__debug_taken(h, room)         shut
 *   percpu__debug_hold()                 into the quarantine
 *        ... others are freed ...
 *   put out of it: room is free for the next object
 *
 * Locks: two of its own, under which nothing of the allocator is called.
 */
#include <stdbool.h>
#include <stddef.h>

/*
 * Whether anything is to be done: PERCPU_DEBUG is in the environment, or the
 * program runs under AddressSanitizer or Valgrind. Never changes.
 */
bool percpu__debug_on(void);

/*
 * Units, the shared slot with them, appear (all shut), or go. False if memory
 * is short: then they must not be used. Called for every chunk.
 */
bool percpu__debug_chunk(void *units, size_t len, bool mapped);

/* Bytes to take for an object of @size: at most the stride if @size is. */
size_t percpu__debug_room(size_t size);

/* Let the allocator at the room of @h in every slot. */
void percpu__debug_open(void *h, size_t room);

/*
 * @h, whose room is open and zero but for an image, goes out to the program.
 * @by: the program's address that asked for it.
 */
void percpu__debug_given(void *h, size_t size, size_t room, const void *by);

/* The size that @h was given out with, while it is out or in quarantine. */
size_t percpu__debug_size(const void *h);

/*
 * The program freed @h, at @by, and may. A write beyond its end that is seen
 * only now is named.
 */
void percpu__debug_taken(void *h, size_t room, const void *by);

/* A freed object that nobody else may have yet. */
struct percpu__debug_held {
	void *h;
	size_t room;
};

/*
 * Keep @in. True: *@out (perhaps @in itself) is to be freed for good, and then
 * what percpu__debug_release(false, out) has, until it is false. What is put
 * out was looked at for writes after the free.
 */
bool percpu__debug_hold(struct percpu__debug_held in,
			struct percpu__debug_held *out);

/* Put out the oldest, if the quarantine holds too much or @all must go. */
bool percpu__debug_release(bool all, struct percpu__debug_held *out);

/*
 * In a child of fork: locks that other threads held are free, and the
 * quarantine holds nothing.
 */
void percpu__debug_forked(void);

#endif
