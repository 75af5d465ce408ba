/* SPDX-License-Identifier: MIT */
/*
 * depot_list.c: a list of caches.
 *
 *   head -> next -> next -> NULL
 *
 * 1. The lock guards the list. A depot's lock is taken under it, and never the
 *    other way round. No function of the program's is called under it.
 * 2. At each instruction head and the nexts are a whole list: a cache enters
 *    and leaves by one store. So it is one in a child of fork, too, where the
 *    links back, which only the end of a cache uses, are set anew.
 */
#include "depot_list.h"

static struct percpu__mutex lock;
static struct percpu__depot *head;

static void store(struct percpu__depot **link, struct percpu__depot *d)
{
	__atomic_store_n(link, d, __ATOMIC_RELEASE);
}

static void take(void)
{
	if (!percpu__mutex_take(&lock))
		return;
	for (struct percpu__depot **link = &head; *link != NULL;
	     link = &(*link)->next)
		(*link)->link = link;
}

void percpu__depot_list_add(struct percpu__depot *d)
{
	take();
	d->next = head;
	d->link = &head;
	if (head != NULL)
		head->link = &d->next;
	store(&head, d);
	percpu__mutex_drop(&lock);
}

void percpu__depot_list_remove(struct percpu__depot *d)
{
	take();
	store(d->link, d->next);
	if (d->next != NULL)
		d->next->link = d->link;
	percpu__mutex_drop(&lock);
}

void percpu__depot_list_collect(bool (*which)(unsigned slot))
{
	take();
	for (struct percpu__depot *d = head; d != NULL; d = d->next)
		percpu__depot_gather(d, which);
	percpu__mutex_drop(&lock);
}
