/* SPDX-License-Identifier: MIT */
/*
 * A table of routes and the devices that they go by, with bigrefs as of 2005:
 * threads look routes up and hold them while others take them out of the table.
 * Each route is freed once, at its last put and not before; a device's count is
 * zero when its last route is gone.
 */
#include "port.h"

enum { LOOKUPS = 50000, BUCKETS = 16, HELD = 4, REPLACE = 64 };
enum { ALIVE = 0x600d, DEAD = 0xdead };

struct device {
	struct bigref refcnt;
	unsigned freed;
};

struct route {
	struct route *next;
	struct bigref ref;
	struct device *dev;
	u32 dst;
	unsigned state;
	u64 used;
};

static struct route *table[BUCKETS];
DEFINE_STATIC_PERCPU_RWSEM(table_sem);
static struct device devices[2];

/* Routes that were freed stay here, so that use after that is seen. */
static struct route *graves;
static spinlock_t graves_lock;
static unsigned long added, freed;

static void dev_hold(struct device *dev)
{
	bigref_get(&dev->refcnt);
}

static void dev_put(struct device *dev)
{
	bigref_put(&dev->refcnt, NULL);
}

static void route_free(struct bigref *ref)
{
	struct route *rt = container_of(ref, struct route, ref);

	CHECK_EQ(rt->state, ALIVE);
	rt->state = DEAD;
	dev_put(rt->dev);
	spin_lock(&graves_lock);
	freed++;
	rt->next = graves;
	graves = rt;
	spin_unlock(&graves_lock);
}

static void route_put(struct route *rt)
{
	bigref_put(&rt->ref, route_free);
}

static struct route *route_alloc(u32 dst)
{
	struct route *rt = kzalloc(sizeof(*rt), GFP_ATOMIC);

	CHECK(rt != NULL);
	bigref_init(&rt->ref);
	rt->dst = dst;
	rt->state = ALIVE;
	rt->dev = &devices[dst % 2];
	dev_hold(rt->dev);
	return rt;
}

static struct route *route_lookup(u32 dst)
{
	struct route *rt;

	percpu_down_read(&table_sem);
	for (rt = table[dst % BUCKETS]; rt; rt = rt->next)
		if (rt->dst == dst) {
			bigref_get(&rt->ref);
			break;
		}
	percpu_up_read(&table_sem);
	return rt;
}

/* Nobody finds it any more; who has it keeps it. */
static void route_gone(struct route *rt)
{
	bigref_disown(&rt->ref);
	route_put(rt);
}

/* @rt in place of the route that its bucket has, or nothing if it is NULL. */
static void route_replace(u32 dst, struct route *rt)
{
	struct route **head = &table[dst % BUCKETS];
	struct route *old;

	percpu_down_write(&table_sem);
	old = *head;
	*head = rt;
	added += rt != NULL;
	percpu_up_write(&table_sem);
	if (old)
		route_gone(old);
}

static void route_output(struct route *rt)
{
	CHECK_EQ(READ_ONCE(rt->state), ALIVE);
	__atomic_fetch_add(&rt->used, 1, __ATOMIC_RELAXED);
}

/* Holds some at a time, so most are put elsewhere than where they were got. */
static void forward(struct thread *t)
{
	struct route *held[HELD] = { NULL };

	for (unsigned i = 0; i < LOOKUPS; i++) {
		u32 dst = next_random(t) % (2 * BUCKETS);
		struct route **slot = &held[i % HELD];

		if (*slot) {
			route_output(*slot);
			route_put(*slot);
		}
		*slot = route_lookup(dst);
		if (i % REPLACE == 0)
			route_replace(dst, route_alloc(dst));
	}
	for (unsigned i = 0; i < HELD; i++)
		if (held[i])
			route_put(held[i]);
}

static void bury(void)
{
	struct route *rt;
	u64 used = 0;

	while ((rt = graves) != NULL) {
		graves = rt->next;
		used += rt->used;
		bigref_destroy(&rt->ref);
		kfree(rt);
	}
	CHECK(used > 0);
}

static void device_free(struct bigref *ref)
{
	container_of(ref, struct device, refcnt)->freed++;
}

int main(int argc, char **argv)
{
	count_threads(argc, argv);
	spin_lock_init(&graves_lock);
	for (unsigned i = 0; i < 2; i++) {
		bigref_init(&devices[i].refcnt);
		bigref_set(&devices[i].refcnt, 0);
	}
	for (u32 dst = 0; dst < BUCKETS; dst++)
		route_replace(dst, route_alloc(dst));
	run_threads(forward);
	for (u32 dst = 0; dst < BUCKETS; dst++)
		route_replace(dst, NULL);
	CHECK_EQ(freed, added);
	bury();
	for (unsigned i = 0; i < 2; i++) {
		CHECK_EQ(bigref_val(&devices[i].refcnt), 0);
		dev_hold(&devices[i]);
		bigref_disown(&devices[i].refcnt);
		CHECK_EQ(devices[i].freed, 0);
		bigref_put(&devices[i].refcnt, device_free);
		CHECK_EQ(devices[i].freed, 1);
	}
	return TEST_PASS;
}
