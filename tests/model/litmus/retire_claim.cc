// SPDX-License-Identifier: MIT
//
// retire_claim.cc: the slot of a gone CPU is marked, looked at again after a
// fence, moved and dropped, while one thread adds 1 there and another takes 1
// off, and both carry, in C++'s memory model: plain loads and stores are
// relaxed, ldar and stlr acquire and release. No add may be lost or counted
// twice. counter_retire.pml has the same with fork and objects that go, where
// memory is in order.
//
// A section is what holds its CPU: threads take turns there, with full barriers
// between them, and the kernel's fence, which interrupts each CPU, is such
// a turn. A section that it aborts has stored nothing, so is one that came
// after. What a carry does outside its section is done on any CPU.
//
// Broken on purpose, each of which must be found wrong:
//   NO_FENCE     the slot moves without a fence after the mark
//   NO_LOOK      whatever became of the mark
//   NO_FENCE2    the page is dropped without a fence after the move
//   PLAIN_CLAIM  a claim does not acquire
//   PLAIN_TELL   a carry does not release
#include "gone.h"

enum variant { RIGHT, NO_FENCE, NO_LOOK, NO_FENCE2, PLAIN_CLAIM, PLAIN_TELL };

static const char *const names[] = { "RIGHT",	  "NO_FENCE",	 "NO_LOOK",
				     "NO_FENCE2", "PLAIN_CLAIM", "PLAIN_TELL" };

static const unsigned FAR = 0x8000;

struct retire_claim : gone<retire_claim> {
	rl::mutex cpu;

	void fence()
	{
		cpu.lock($);
		cpu.unlock($);
	}

	/* On the CPU; true if it has committed. */
	bool try_add(unsigned v)
	{
		unsigned n = get(total) + v;
		unsigned t = get(told);
		bool near = within(2 * n - t, 2 * REACH);

		if (near)
			set(total, n);
		return near;
	}

	/* On the CPU; false if somebody has it, or it is marked. */
	bool try_claim(unsigned *was)
	{
		*was = told.load(broken == PLAIN_CLAIM ? rl::mo_relaxed :
							 rl::mo_acquire,
				 $);
		if (*was & 1)
			return false;
		set(told, 2 * get(total) + 1);
		return true;
	}

	void tell(unsigned was, unsigned v)
	{
		unsigned now = get(told) - 1;

		carried.fetch_add((unsigned)((int)(now - was) / 2) + v,
				  rl::mo_relaxed, $);
		extra.store(get(extra) + v, rl::mo_release, $);
		told.store(now,
			   broken == PLAIN_TELL ? rl::mo_relaxed :
						  rl::mo_release,
			   $);
	}

	void add(unsigned v)
	{
		unsigned was;
		bool done;

		cpu.lock($);
		done = try_add(v);
		cpu.unlock($);
		if (done)
			return;
		cpu.lock($);
		done = try_claim(&was);
		cpu.unlock($);
		if (done)
			tell(was, v);
		else
			direct.fetch_add(v, rl::mo_relaxed, $);
	}

	bool is_marked()
	{
		unsigned t = told.load(rl::mo_acquire, $);
		unsigned n = total.load(rl::mo_acquire, $);

		return (t & 1) && t - 2 * n + FAR > 2 * FAR;
	}

	void retire()
	{
		unsigned t = told.load(rl::mo_acquire, $);
		unsigned sum;

		if ((t & 1) || !told.compare_exchange_strong(t, t ^ FLIP,
							     rl::mo_acq_rel, $))
			return;
		if (broken != NO_FENCE)
			fence();
		if (broken != NO_LOOK && !is_marked())
			return;
		sum = total.load(rl::mo_acquire, $);
		carried.fetch_add(sum - t / 2, rl::mo_acq_rel, $);
		sum += extra.load(rl::mo_acquire, $);
		to_extra.store(sum, rl::mo_release, $);
		extra.store(0, rl::mo_release, $);
		total.store(0, rl::mo_release, $);
		told.store(FLIP, rl::mo_release, $);
		if (broken != NO_FENCE2)
			fence();
		told.store(0, rl::mo_release, $);
	}
};

int main()
{
	return search<retire_claim>(names, sizeof(names) / sizeof(*names));
}
