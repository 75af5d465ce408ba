// SPDX-License-Identifier: MIT
// A file of C++ that uses the kernel's names compiles and links; what they do
// is looked at elsewhere.
#include <percpu/kernel.h>

namespace
{

struct stats {
	u64_stats_t packets;
	struct u64_stats_sync syncp;
	u64 bytes;
};

DEFINE_PER_CPU(u64, events) = 3;
DEFINE_PER_CPU_SHARED_ALIGNED(long, state);

class device
{
      public:
	device()
	    : stats_(alloc_percpu(struct stats)),
	      own_line_(alloc_percpu_cacheline_aligned(u32))
	{
		percpu_counter_init(&used_, 0, GFP_KERNEL);
		percpu_counter_init_many(pair_, 0, GFP_KERNEL, 2);
		percpu_ref_init(&ref_, gone, PERCPU_REF_ALLOW_REINIT,
				GFP_KERNEL);
		percpu_init_rwsem(&sem_);
		bigref_init(&big_);
		INIT_CSD(&csd_, called, this);
	}

	~device()
	{
		bigref_disown(&big_);
		bigref_put(&big_, nullptr);
		bigref_destroy(&big_);
		percpu_ref_kill(&ref_);
		percpu_ref_exit(&ref_);
		percpu_free_rwsem(&sem_);
		percpu_counter_destroy_many(pair_, 2);
		percpu_counter_destroy(&used_);
		free_percpu(own_line_);
		free_percpu(stats_);
	}

	void send(unsigned len)
	{
		struct stats *here = get_cpu_ptr(stats_);

		u64_stats_update_begin(&here->syncp);
		u64_stats_inc(&here->packets);
		u64_stats_update_end(&here->syncp);
		put_cpu_ptr(stats_);
		this_cpu_add(stats_->bytes, len);
		raw_cpu_sub(*own_line_, 1);
		this_cpu_inc(events);
		percpu_counter_add_batch(&used_, len, percpu_counter_batch);
		percpu_counter_limited_add(&used_, S64_LIMIT, 1);
		if (percpu_ref_tryget_live(&ref_))
			percpu_ref_put(&ref_);
		bigref_get(&big_);
		bigref_put(&big_, nullptr);
	}

	u64 total()
	{
		u64 sum = 0;
		int cpu;

		percpu_down_read(&sem_);
		for_each_possible_cpu (cpu)
			sum += per_cpu_ptr(stats_, cpu)->bytes +
			       per_cpu(events, cpu);
		percpu_up_read(&sem_);
		return sum + (u64)percpu_counter_sum_positive(&used_);
	}

	void change()
	{
		long old = this_cpu_read(state);

		percpu_down_write(&sem_);
		this_cpu_write(state, old + 1);
		this_cpu_or(state, 8);
		this_cpu_and(state, ~8);
		old = this_cpu_cmpxchg(state, old, this_cpu_xchg(state, 1));
		(void)this_cpu_try_cmpxchg(state, &old, old + 1);
		percpu_up_write(&sem_);
	}

	int call(int cpu)
	{
		cpumask_t mask;

		cpumask_clear(&mask);
		cpumask_set_cpu((unsigned)cpu, &mask);
		on_each_cpu(called, this, 1);
		on_each_cpu_mask(&mask, called, this, true);
		on_each_cpu_cond(wanted, called, this, true);
		cpuhp_remove_state(cpuhp_setup_state(CPUHP_AP_ONLINE_DYN,
						     "device", came, nullptr));
		smp_call_function_many(cpu_online_mask, called, this, true);
		smp_call_function_any(&mask, called, this, 1);
		smp_call_function_single_async(cpu, &csd_);
		return smp_call_function_single(cpu, called, this, 1);
	}

      private:
	static const s64 S64_LIMIT = INT64_MAX;

	static void gone(struct percpu_ref *)
	{
	}

	static void called(void *info)
	{
		static_cast<device *>(info)->send(1);
	}

	static int came(unsigned)
	{
		return 0;
	}

	static bool wanted(int cpu, void *)
	{
		return cpu_online((unsigned)cpu);
	}

	struct stats __percpu *stats_;
	u32 __percpu *own_line_;
	struct percpu_counter used_;
	struct percpu_counter pair_[2];
	struct percpu_ref ref_;
	struct percpu_rw_semaphore sem_;
	struct bigref big_;
	call_single_data_t csd_;
};

} // namespace

int main()
{
	device d;

	d.send(64);
	d.change();
	return d.total() == 0 || d.call(percpu_this_cpu()) != 0;
}
