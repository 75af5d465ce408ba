/* SPDX-License-Identifier: MIT */
/*
 * A loopback device as the kernel has it: what threads send is counted per CPU,
 * by u64_stats_t, by this_cpu_add() and in a static variable, and the sums over
 * all possible CPUs are exact to the packet and byte; meanwhile they only grow.
 */
#include "port.h"

enum { PACKETS = 60000, MTU = 1500 };

struct sk_buff {
	unsigned len;
};

/* This CPU's part is found once and changed by four calls, or is not found. */
struct pcpu_lstats {
	u64_stats_t packets;
	u64_stats_t bytes;
	struct u64_stats_sync syncp;
} __attribute__((aligned(2 * sizeof(u64))));

struct pcpu_old_lstats {
	u64 packets;
	u64 bytes;
};

struct net_device {
	struct pcpu_lstats __percpu *lstats;
	struct pcpu_old_lstats __percpu *old_lstats;
};

struct rtnl_link_stats64 {
	u64 packets;
	u64 bytes;
};

static DEFINE_PER_CPU(struct pcpu_old_lstats, all_devices);
static DEFINE_PER_CPU_SHARED_ALIGNED(unsigned long, queued) = 7;

static void dev_lstats_add(struct net_device *dev, unsigned len)
{
	struct pcpu_lstats *lstats = this_cpu_ptr(dev->lstats);

	u64_stats_update_begin(&lstats->syncp);
	u64_stats_add(&lstats->bytes, len);
	u64_stats_inc(&lstats->packets);
	u64_stats_update_end(&lstats->syncp);
}

static int loopback_xmit(struct sk_buff *skb, struct net_device *dev)
{
	unsigned len = skb->len;

	this_cpu_inc(queued);
	dev_lstats_add(dev, len);
	this_cpu_add(dev->old_lstats->bytes, len);
	this_cpu_inc(dev->old_lstats->packets);
	__this_cpu_add(all_devices.bytes, len);
	__this_cpu_inc(all_devices.packets);
	this_cpu_dec(queued);
	return 0;
}

static void dev_lstats_read(struct net_device *dev, u64 *packets, u64 *bytes)
{
	int cpu;

	*packets = 0;
	*bytes = 0;
	for_each_possible_cpu (cpu) {
		const struct pcpu_lstats *lb = per_cpu_ptr(dev->lstats, cpu);
		u64 tpackets, tbytes;
		unsigned start;

		do {
			start = u64_stats_fetch_begin(&lb->syncp);
			tpackets = u64_stats_read(&lb->packets);
			tbytes = u64_stats_read(&lb->bytes);
		} while (u64_stats_fetch_retry(&lb->syncp, start));
		*packets += tpackets;
		*bytes += tbytes;
	}
}

static void loopback_get_old_stats(struct net_device *dev,
				   struct rtnl_link_stats64 *stats)
{
	int cpu;

	memset(stats, 0, sizeof(*stats));
	for_each_possible_cpu (cpu) {
		const struct pcpu_old_lstats *lb;

		lb = per_cpu_ptr(dev->old_lstats, cpu);
		stats->packets += lb->packets;
		stats->bytes += lb->bytes;
	}
}

static int loopback_dev_init(struct net_device *dev)
{
	int cpu;

	dev->lstats =
		alloc_percpu_gfp(struct pcpu_lstats, GFP_KERNEL | __GFP_ZERO);
	if (!dev->lstats)
		return -ENOMEM;
	for_each_possible_cpu (cpu)
		u64_stats_init(&per_cpu_ptr(dev->lstats, cpu)->syncp);
	dev->old_lstats = alloc_percpu(struct pcpu_old_lstats);
	if (!dev->old_lstats) {
		free_percpu(dev->lstats);
		return -ENOMEM;
	}
	return 0;
}

static void loopback_dev_free(struct net_device *dev)
{
	free_percpu(dev->old_lstats);
	free_percpu(dev->lstats);
}

static struct net_device lo;
static u64 sent;

/* Sends, and looks at the sums now and then. */
static void send(struct thread *t)
{
	u64 bytes = 0, packets, now, last = 0;

	for (unsigned i = 0; i < PACKETS; i++) {
		struct sk_buff skb = { .len = next_random(t) % MTU + 1 };

		CHECK(loopback_xmit(&skb, &lo) == 0);
		bytes += skb.len;
		if (i % 1024 != 0)
			continue;
		dev_lstats_read(&lo, &packets, &now);
		CHECK(packets > i && now >= bytes && now >= last);
		last = now;
	}
	__atomic_fetch_add(&sent, bytes, __ATOMIC_RELAXED);
}

int main(int argc, char **argv)
{
	struct rtnl_link_stats64 stats;
	u64 packets, bytes, all_packets = 0, all_bytes = 0;
	int cpu;

	count_threads(argc, argv);
	CHECK(loopback_dev_init(&lo) == 0);
	run_threads(send);
	dev_lstats_read(&lo, &packets, &bytes);
	CHECK_EQ(packets, (u64)nr_threads * PACKETS);
	CHECK_EQ(bytes, sent);
	loopback_get_old_stats(&lo, &stats);
	CHECK_EQ(stats.packets, (u64)nr_threads * PACKETS);
	CHECK_EQ(stats.bytes, sent);
	for_each_possible_cpu (cpu) {
		all_packets += per_cpu(all_devices, cpu).packets;
		all_bytes += per_cpu(all_devices.bytes, cpu);
	}
	CHECK_EQ(all_packets, (u64)nr_threads * PACKETS);
	CHECK_EQ(all_bytes, sent);
	bytes = 0;
	for_each_possible_cpu (cpu)
		bytes += per_cpu(queued, cpu);
	CHECK_EQ(bytes, 7 * (u64)num_possible_cpus());
	loopback_dev_free(&lo);
	return TEST_PASS;
}
