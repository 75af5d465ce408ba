/* SPDX-License-Identifier: MIT */
#ifndef TESTS_UNIT_BOOK_MODEL_H
#define TESTS_UNIT_BOOK_MODEL_H
/*
 * book-model.h: a chunk's book, and beside it what must be in it: a byte for
 * each grain and a list of objects, searched from the first to the last. There
 * is no memory behind the book: it never looks at objects themselves.
 */
#include "book.h"

#include <stdbool.h>
#include <stdint.h>

/* The most objects that are taken at once. */
#define BATCH_MAX 64u

/* The book at hand. */
extern struct percpu__chunk *book;

/* A new book of @pages pages of 2^@page_log grains, the one at hand. */
void model_open(uint32_t pages, uint32_t page_log);
void model_close(void);

/*
 * Take objects from the book and the model; both give the same places, dirty
 * where some were given out before. Returns how many.
 */
unsigned model_take(uint32_t grains, uint32_t align, unsigned want);

/* How many objects there are, and where the @i-th starts; they have no order.*/
unsigned model_objects(void);
uint32_t model_object(unsigned i);

/* The program has the @i-th object from now on, or no longer. */
void model_set_live(unsigned i, bool live);

/* Give the @n objects that start at @grains to both, in that order. */
void model_give(const uint32_t *grains, unsigned n);

/* Take whole pages that are free, give them back; @fresh: zero in each slot. */
bool model_take_pages(uint32_t page, uint32_t n);
void model_give_pages(uint32_t page, uint32_t n, bool fresh);

/* Make the book anew; what is not live is free then. */
void model_rebuild(void);

/* Grains of the longest free run. */
uint32_t model_longest(void);

/* All that the head of book.c promises of the book at hand. */
void model_check(void);

#endif
