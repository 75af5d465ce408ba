/* SPDX-License-Identifier: MIT */
/*
 * rows_operation.c: each operation of ops.h, on objects that lie side by side.
 * To add one: a FUNCTION and a ROW.
 */
#include "rows.h"

#include "model.h"

#include <percpu/percpu.h>

#include <stdlib.h>

#define TIMES 400u

static uint64_t PERCPU *first;
static uint64_t PERCPU *h;
static uint64_t PERCPU *last;
static struct percpu_stack PERCPU *stack;
static uint64_t PERCPU *block;
static struct percpu_counter_tree tree;
static struct percpu_rwlock lock;
static struct percpu_cache *cache;

static void start(void)
{
	first = percpu_new(uint64_t);
	h = percpu_new(uint64_t);
	last = percpu_new(uint64_t);
	stack = percpu_stack_new(8);
	block = percpu_alloc_cacheline(8 * sizeof(uint64_t));
	if (percpu_counter_tree_init(&tree, 0, 32) < 0 || block == NULL ||
	    first == NULL || h == NULL || last == NULL || stack == NULL)
		abort();
	/* Nobody writes: the model, which has no fence, makes none wait. */
	if (percpu_rwlock_init(&lock) != 0)
		abort();
	lock.guarded.word = 0;
}

/* No virtual CPU runs yet, so a fence has nothing to do. */
static void start_cache(void)
{
	model_fences = true;
	cache = percpu_cache_create(NULL);
	if (cache == NULL || cache->capacity == 0)
		abort();
	model_fences = false;
}

#define FUNCTION(name, statement)                                              \
	static void name(unsigned cpu)                                         \
	{                                                                      \
		(void)cpu;                                                     \
		statement;                                                     \
	}

FUNCTION(add, percpu_add(h, 3))
FUNCTION(sub, percpu_sub(h, 3))
FUNCTION(inc, percpu_inc(h))
FUNCTION(dec, percpu_dec(h))
FUNCTION(and, percpu_and(h, 7))
FUNCTION(or, percpu_or(h, 1))
FUNCTION(xor, percpu_xor(h, 5))
FUNCTION(write, percpu_write(h, 5))
FUNCTION(read, (void)percpu_read(h))
FUNCTION(this_ptr, (void)percpu_this_ptr(h))
FUNCTION(add_return, (void)percpu_add_return(h, 3))
FUNCTION(xchg, (void)percpu_xchg(h, 5))
FUNCTION(cmpxchg, (void)percpu_cmpxchg(h, 5, 5))
FUNCTION(try_cmpxchg, uint64_t old = 5; (void)percpu_try_cmpxchg(h, &old, 5))
FUNCTION(push_pop, uint64_t item; (void)percpu_push(stack, 8, 3);
	 (void)percpu_pop(stack, &item))
FUNCTION(add_all, percpu_add_all(first, 1, h, 2, last, 3))
FUNCTION(add_block_2, percpu_add_block(block, 1, 2))
FUNCTION(add_block_8, percpu_add_block(block, 1, 2, 3, 4, 5, 6, 7, 8))
FUNCTION(read_lock, percpu_rwlock_read_lock(&lock);
	 percpu_rwlock_read_unlock(&lock))
FUNCTION(cache_put_get, uint64_t item; (void)percpu_cache_put(cache, 3);
	 (void)percpu_cache_get(cache, &item))
FUNCTION(add_u64, percpu_add_u64(h, 3))
FUNCTION(tree_inc, percpu_counter_tree_inc(&tree))
FUNCTION(tree_read, percpu_counter_tree_inc(&tree);
	 (void)percpu_counter_tree_read(&tree))
FUNCTION(sum, percpu_inc(h); (void)percpu_sum(h))

#define ROW(name, function)                                                    \
	{                                                                      \
		name, "rseq", start, function, TIMES, true, false              \
	}

const struct row rows_operation[] = {
	ROW("percpu_add", add),
	ROW("percpu_sub", sub),
	ROW("percpu_inc", inc),
	ROW("percpu_dec", dec),
	ROW("percpu_and", and),
	ROW("percpu_or", or),
	ROW("percpu_xor", xor),
	ROW("percpu_write", write),
	ROW("percpu_read", read),
	ROW("percpu_this_ptr", this_ptr),
	ROW("percpu_add_return", add_return),
	ROW("percpu_xchg", xchg),
	ROW("percpu_cmpxchg", cmpxchg),
	ROW("percpu_try_cmpxchg", try_cmpxchg),
	ROW("percpu_push, percpu_pop", push_pop),
	ROW("percpu_add_all, 3", add_all),
	ROW("percpu_add_block, 2", add_block_2),
	ROW("percpu_add_block, 8", add_block_8),
	ROW("percpu_add_u64", add_u64),
	{ "percpu_counter_tree_inc, of 32", "rseq", start, tree_inc, TIMES,
	  false, false },
	{ "tree_inc, tree_read, of 32", "rseq", start, tree_read, 64, false,
	  true },
	ROW("rwlock: read lock and unlock", read_lock),
	{ "percpu_cache_put, _get", "rseq", start_cache, cache_put_get, TIMES,
	  true, false },
	{ "percpu_inc, percpu_sum", "rseq", start, sum, 8, false, true },
	{ NULL, NULL, NULL, NULL, 0, false, false },
};
