/* SPDX-License-Identifier: MIT */
/*
 * call_pool.c: csds for calls to many CPUs that nobody waits for.
 *
 * Blocks of them come from the system and stay until dlclose; a program has as
 * many as it ever had in flight. A node is free again before its function runs.
 * In a child those that were in flight are lost, as is a list that was being
 * changed: it begins with none.
 */
#include "call.h"

#include "mutex.h"
#include "os.h"

#define BLOCK_BYTES (16u << 10)

struct block {
	struct block *next;
	size_t bytes;
	struct percpu__call_node nodes[];
};

/* Guards the two. */
static struct percpu__mutex lock;
static struct percpu__call_node *spare;
static struct block *blocks;

static void take_lock(void)
{
	if (percpu__mutex_take(&lock))
		spare = NULL;
}

void percpu__call_pool_put(struct percpu__call_node *list)
{
	struct percpu__call_node *last = list;

	if (list == NULL)
		return;
	while (last->next != NULL)
		last = last->next;
	take_lock();
	last->next = spare;
	spare = list;
	percpu__mutex_drop(&lock);
}

static void run(void *arg)
{
	struct percpu__call_node *node = arg;
	percpu_fn *fn = node->fn;
	void *fn_arg = node->arg;

	node->next = NULL;
	percpu__call_pool_put(node);
	fn(fn_arg);
}

/* @n of the spare ones, or none. */
static struct percpu__call_node *take_spare(unsigned n)
{
	struct percpu__call_node *list;
	struct percpu__call_node **end = &spare;

	take_lock();
	while (n > 0 && *end != NULL) {
		end = &(*end)->next;
		n--;
	}
	list = n == 0 ? spare : NULL;
	if (list != NULL) {
		spare = *end;
		*end = NULL;
	}
	percpu__mutex_drop(&lock);
	return list;
}

/* At least @n more. */
static bool add_block(unsigned n)
{
	size_t bytes = sizeof(struct block) + n * sizeof(*spare);
	struct block *b;
	size_t nodes;

	bytes = percpu__os_pages(bytes < BLOCK_BYTES ? BLOCK_BYTES : bytes);
	b = percpu__os_map(bytes);
	if (b == NULL)
		return false;
	nodes = (bytes - sizeof(*b)) / sizeof(*spare);
	for (size_t i = 0; i + 1 < nodes; i++)
		b->nodes[i].next = &b->nodes[i + 1];
	b->bytes = bytes;
	take_lock();
	b->next = blocks;
	blocks = b;
	b->nodes[nodes - 1].next = spare;
	spare = b->nodes;
	percpu__mutex_drop(&lock);
	return true;
}

struct percpu__call_node *percpu__call_pool_get(unsigned n, percpu_fn *fn,
						void *arg)
{
	struct percpu__call_node *list;

	while ((list = take_spare(n)) == NULL)
		if (!add_block(n))
			return NULL;
	for (struct percpu__call_node *node = list; node != NULL;
	     node = node->next) {
		percpu_csd_init(&node->csd, run, node);
		node->fn = fn;
		node->arg = arg;
	}
	return list;
}

void percpu__call_pool_unmake(void)
{
	while (blocks != NULL) {
		struct block *b = blocks;

		blocks = b->next;
		percpu__os_release(b, b->bytes);
	}
	spare = NULL;
}
