/* SPDX-License-Identifier: MIT */
/*
 * counter_tree_nodes.c: memory for nodes. All trees of a process have the same
 * number of nodes, a block; blocks are numbered, and lie in arenas, each twice
 * the one before it, so that few mappings hold all and none ever moves.
 *
 *   arena   0: blocks 0 ... 63   1: 64 ... 191   2: 192 ... 447   ...
 *
 * 1. A block has never been given out (its number is at least "fresh"), is in
 *    the list, or is somebody's.
 * 2. "fresh" and "list" change by compare-and-swap. The list's word has a count
 *    of changes above the first block's number, so that it is never the same
 *    word twice: who pops read "next" of the block that still is first.
 * 3. That read may come after another popped the block: memory stays mapped,
 *    and "next" is apart from the value.
 * 4. Nobody waits: a fork at any moment costs the child at most the block that
 *    another thread was at.
 *
 * Pages appear as blocks are first used, and go at dlclose, if no block is
 * somebody's then. Blocks lie side by side: each node has a line.
 */
#include "counter_tree_nodes.h"

#include "exit.h"
#include "mutex.h"
#include "os.h"

enum { FIRST = 64, ARENAS = 24 };

typedef struct percpu__tree_node *arena_fn(uint32_t k);

static struct percpu__tree_node *arena[ARENAS];
static uint32_t fresh; /* blocks that were ever given out */
static uint64_t list;  /* changes << 32 | (number + 1); 0 ends it */
static uint32_t taken; /* blocks that are somebody's */
static uint32_t width; /* nodes of a block */

static uint32_t arena_of(uint32_t number)
{
	return 31 - (uint32_t)__builtin_clz(number / FIRST + 1);
}

static uint32_t arena_first(uint32_t k)
{
	return FIRST * ((1u << k) - 1);
}

static size_t arena_nodes(uint32_t k)
{
	return ((size_t)FIRST << k) * __atomic_load_n(&width, __ATOMIC_RELAXED);
}

static size_t arena_bytes(uint32_t k)
{
	return percpu__os_pages(arena_nodes(k) *
				sizeof(struct percpu__tree_node));
}

static struct percpu__tree_node *arena_at(uint32_t k)
{
	return __atomic_load_n(&arena[k], __ATOMIC_ACQUIRE);
}

/* Arena @k, made if there is none; NULL if memory is short. */
static struct percpu__tree_node *get_arena(uint32_t k)
{
	struct percpu__tree_node *a = arena_at(k);
	struct percpu__tree_node *mine;

	if (a != NULL)
		return a;
	mine = percpu__os_map(arena_bytes(k));
	if (mine == NULL ||
	    __atomic_compare_exchange_n(&arena[k], &a, mine, false,
					__ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		return mine;
	percpu__os_release(mine, arena_bytes(k));
	return a;
}

/* The block of that number, whose arena there is. */
static struct percpu__tree_node *block(uint32_t number)
{
	uint32_t k = arena_of(number);

	return arena_at(k) + (size_t)(number - arena_first(k)) *
				     __atomic_load_n(&width, __ATOMIC_RELAXED);
}

static uint32_t number_of(const struct percpu__tree_node *b)
{
	uint32_t k = 0;

	while (arena_at(k) == NULL || b < arena_at(k) ||
	       b >= arena_at(k) + arena_nodes(k))
		k++;
	return arena_first(k) +
	       (uint32_t)((size_t)(b - arena_at(k)) /
			  __atomic_load_n(&width, __ATOMIC_RELAXED));
}

static uint64_t changed(uint64_t before, uint32_t first)
{
	return ((before >> 32) + 1) << 32 | first;
}

static struct percpu__tree_node *pop(void)
{
	uint64_t was = __atomic_load_n(&list, __ATOMIC_ACQUIRE);
	struct percpu__tree_node *b;
	uint64_t now;

	do {
		if ((uint32_t)was == 0)
			return NULL;
		b = block((uint32_t)was - 1);
		now = changed(was, __atomic_load_n(&b->next, __ATOMIC_RELAXED));
	} while (!__atomic_compare_exchange_n(
		&list, &was, now, false, __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE));
	return b;
}

static struct percpu__tree_node *take_fresh(arena_fn *find)
{
	uint32_t number = __atomic_load_n(&fresh, __ATOMIC_RELAXED);

	do {
		if (arena_of(number) >= ARENAS ||
		    find(arena_of(number)) == NULL)
			return NULL;
	} while (!__atomic_compare_exchange_n(&fresh, &number, number + 1,
					      false, __ATOMIC_RELAXED,
					      __ATOMIC_RELAXED));
	return block(number);
}

static struct percpu__tree_node *get(uint32_t count, arena_fn *find)
{
	struct percpu__tree_node *b;

	__atomic_store_n(&width, count, __ATOMIC_RELAXED);
	b = pop();
	if (b == NULL)
		b = take_fresh(find);
	if (b == NULL)
		return NULL;
	for (uint32_t i = 0; i < count; i++)
		b[i].value = 0;
	b->born = percpu__mutex_family();
	__atomic_fetch_add(&taken, 1, __ATOMIC_RELAXED);
	return b;
}

struct percpu__tree_node *percpu__counter_tree_nodes_get(uint32_t count)
{
	percpu__mutex_start();
	return get(count, get_arena);
}

struct percpu__tree_node *percpu__counter_tree_nodes_at_hand(uint32_t count)
{
	return get(count, arena_at);
}

void percpu__counter_tree_nodes_put(struct percpu__tree_node *b)
{
	uint64_t was = __atomic_load_n(&list, __ATOMIC_RELAXED);
	uint32_t number = number_of(b);

	do {
		__atomic_store_n(&b->next, (uint32_t)was, __ATOMIC_RELAXED);
	} while (!__atomic_compare_exchange_n(
		&list, &was, changed(was, number + 1), false, __ATOMIC_RELEASE,
		__ATOMIC_RELAXED));
	__atomic_fetch_sub(&taken, 1, __ATOMIC_RELAXED);
}

/* At dlclose. */
static void __attribute__((destructor(102))) release(void)
{
	if (__atomic_load_n(&taken, __ATOMIC_RELAXED) != 0 ||
	    percpu__exit_keeps())
		return;
	for (uint32_t k = 0; k < ARENAS; k++) {
		if (arena[k] != NULL)
			percpu__os_release(arena[k], arena_bytes(k));
		arena[k] = NULL;
	}
	fresh = 0;
	list = 0;
}
