/* SPDX-License-Identifier: MIT */
/*
 * policy.c: how this process counts, decided once.
 *
 *   rseq     a thread adds to its CPU's unit by a plain add in a restartable
 *            sequence; a thread that has none adds to the shared slot by an
 *            atomic.
 *   atomic   every thread adds by atomics to the unit of the CPU that it
 *            seems to be on.
 *   shared   every thread adds by atomics to the shared slot.
 *
 * Why the fall-back of a thread is not "its CPU's unit, by an atomic": a plain
 * add on CPU 3 loads, adds and stores; an atomic add from CPU 4 to the same
 * unit between that load and that store is lost, and no abort tells the plain
 * one. So a slot sees plain adds or atomic ones in a process's life, never
 * both: under rseq units see plain adds and the shared slot atomic ones; else
 * all see atomic ones. That is why the policy is latched and cannot change.
 *
 * The latch is percpu__rt.policy, set by one compare-and-swap from 0. First
 * callers may race: each decides by itself, one decision stands, and each
 * publishes what follows from the one that stands, as once.c has it; so nobody
 * waits, and a fork in between leaves nothing half done. Until limit is there,
 * inlined sections take the slow path.
 */
#include "policy.h"

#include "env.h"
#include "layout.h"
#include "misuse.h"
#include "once.h"
#include "os.h"
#include "section.h"

#include <percpu/alloc.h>

#include <errno.h>

struct percpu__rt percpu__rt;

enum why {
	WHY_LIBC,
	WHY_SELF,
	WHY_SETUP,
	WHY_ENVIRONMENT,
	WHY_ARCHITECTURE,
	WHY_NO_RSEQ,
	WHY_REFUSED,
	WHY_DEAD,
	WHY_THREAD,
	WHY_BEYOND,
};

static const char *const reasons[] = {
	[WHY_LIBC] = "libc registers each thread for restartable sequences",
	[WHY_SELF] = "libc leaves restartable sequences alone, so libpercpu "
		     "registers threads",
	[WHY_SETUP] = "the program chose it with percpu_setup()",
	[WHY_ENVIRONMENT] = "PERCPU_BACKEND in the environment chose it",
	[WHY_ARCHITECTURE] = "libpercpu has no restartable sequences for this "
			     "architecture",
	[WHY_NO_RSEQ] = "the kernel has no restartable sequences",
	[WHY_REFUSED] = "the kernel refuses restartable sequences (a seccomp "
			"filter, or another library has taken them)",
	[WHY_DEAD] = "the kernel accepts restartable sequences and does not "
		     "run them",
	[WHY_THREAD] = "this thread's registration for restartable sequences "
		       "was refused or undone",
	[WHY_BEYOND] = "this thread's CPU number is beyond those that were "
		       "possible when the process started",
};

static uint32_t pack(struct percpu__policy p)
{
	uint32_t word;

	p.mode |= PERCPU__LATCHED;
	memcpy(&word, &p, sizeof(word));
	return word;
}

static uint8_t why_not(int err)
{
	switch (err) {
	case -ENOSYS: return WHY_NO_RSEQ;
	case -EIO: return WHY_DEAD;
	case -EOPNOTSUPP: return WHY_ARCHITECTURE;
	default: return WHY_REFUSED;
	}
}

/* Decide for restartable sequences; -errno if they cannot be had. */
static int decide_rseq(struct percpu__policy *p)
{
	enum percpu__owner owner = PERCPU__OWNER_SELF;
	int ret = PERCPU__HAVE_SECTIONS ? percpu__area_start(&owner) :
					  -EOPNOTSUPP;

	if (ret < 0)
		return ret;
	p->mode = PERCPU_MODE_RSEQ;
	p->why = owner == PERCPU__OWNER_LIBC ? WHY_LIBC : WHY_SELF;
	return 0;
}

/*
 * Whether cpu_id of an area names the CPU as getcpu does, which costs a call
 * and asks the same area where libc registers it. The thread may move between
 * the two looks; a few pairs suffice.
 */
static bool area_names_cpu(void)
{
	for (int i = 0; i < 8; i++) {
		const struct percpu__area *area = percpu__area();

		if (area != NULL && percpu__area_cpu(area) >= 0 &&
		    percpu__area_cpu(area) == percpu__os_cpu())
			return true;
	}
	return false;
}

static void decide_atomic(struct percpu__policy *p, uint8_t why)
{
	p->mode = PERCPU_MODE_ATOMIC;
	p->why = why;
	p->cpu_id = area_names_cpu();
}

/*
 * Decide for @policy. Where @strict is false and sequences cannot be had,
 * atomics take their place.
 */
static int decide(struct percpu__policy *p, int policy, uint8_t why,
		  bool strict)
{
	int ret;

	if (policy == PERCPU_POLICY_SHARED) {
		p->mode = PERCPU_MODE_SHARED;
		p->why = why;
		return 0;
	}
	if (policy == PERCPU_POLICY_ATOMIC) {
		decide_atomic(p, why);
		return 0;
	}
	ret = decide_rseq(p);
	if (ret == 0)
		return 0;
	if (strict)
		return -EOPNOTSUPP;
	decide_atomic(p, why_not(ret));
	return 0;
}

static int decide_index(struct percpu__policy *p, int index, bool strict)
{
	bool can = p->mode == PERCPU_MODE_RSEQ && percpu__os_has_cid();

	if (index == PERCPU_INDEX_CID && !can && strict)
		return -EOPNOTSUPP;
	p->index = index == PERCPU_INDEX_CID && can ? PERCPU_INDEX_CID :
						      PERCPU_INDEX_CPU;
	return 0;
}

/* What the program asks for with @opt and the environment over it. */
static int decide_all(struct percpu__policy *p,
		      const struct percpu_options *opt)
{
	static const char asked[] = "what the program asks for";
	static const char *const policies[] = { "auto", "rseq", "atomic",
						"shared", NULL };
	static const char *const indices[] = { "cpu", "cid", NULL };
	static struct percpu__env backend = { "PERCPU_BACKEND", asked, 0 };
	static struct percpu__env numbers = { "PERCPU_INDEX", asked, 0 };
	int policy = percpu__env_choice(&backend, policies);
	int index = percpu__env_choice(&numbers, indices);
	int ret;

	percpu__misuse_is_fatal();
	memset(p, 0, sizeof(*p));
	if (policy >= 0)
		ret = decide(p, policy, WHY_ENVIRONMENT, false);
	else
		ret = decide(p, opt->policy, WHY_SETUP,
			     opt->policy == PERCPU_POLICY_RSEQ);
	if (ret < 0)
		return ret;
	return index >= 0 ? decide_index(p, index, false) :
			    decide_index(p, opt->index, policy < 0);
}

/* From the thread pointer to the number of a thread's slot. */
static int64_t index_offset(struct percpu__policy p, int64_t area)
{
	return area + (int64_t)(p.index == PERCPU_INDEX_CID ?
					offsetof(struct percpu__area, mm_cid) :
					offsetof(struct percpu__area, cpu_id));
}

/* For blocks; @limit is that of all sections. */
static void publish_vector(uint32_t limit)
{
	uint32_t bytes = percpu__section_bytes();

	percpu__once_32(&percpu__rt.vector, bytes);
	percpu__once_32(&percpu__rt.limit_16, bytes >= 16 ? limit : 0);
	percpu__once_32(&percpu__rt.limit_32, bytes >= 32 ? limit : 0);
	percpu__once_32(&percpu__rt.limit_64, bytes >= 64 ? limit : 0);
}

static void publish(struct percpu__policy p)
{
	uint32_t slots = percpu_nr_cpu_ids();
	int64_t area = 0;
	bool inlined = p.mode == PERCPU_MODE_RSEQ && percpu__area_offset(&area);

	percpu__once_32(&percpu__rt.nr_slots, slots);
	percpu__once_64((uint64_t *)&percpu__rt.index,
			(uint64_t)index_offset(p, area));
	publish_vector(inlined ? slots : 0);
	percpu__once_32(&percpu__rt.limit, inlined ? slots : 0);
	/* Pairs with percpu__policy(): who sees it sees all the others. */
	percpu__once_64(&percpu__rt.stride, percpu__layout_stride(slots));
}

/* 0, or -EBUSY if an earlier decision stands; what stands is published. */
static int set_latch(struct percpu__policy p)
{
	uint32_t before = 0;
	bool mine = __atomic_compare_exchange_n(
		&percpu__rt.policy, &before, pack(p), false, __ATOMIC_RELAXED,
		__ATOMIC_RELAXED);

	publish(percpu__policy_peek());
	return mine ? 0 : -EBUSY;
}

struct percpu__policy percpu__policy(void)
{
	static const struct percpu_options none = { sizeof(none),
						    PERCPU_POLICY_AUTO,
						    PERCPU_INDEX_CPU };
	struct percpu__policy p;

	if (__atomic_load_n(&percpu__rt.policy, __ATOMIC_RELAXED) == 0) {
		decide_all(&p, &none);
		set_latch(p);
	} else if (__atomic_load_n(&percpu__rt.stride, __ATOMIC_ACQUIRE) == 0) {
		publish(percpu__policy_peek());
	}
	return percpu__policy_peek();
}

int percpu_setup(const struct percpu_options *opt)
{
	struct percpu__policy p;
	int ret;

	if (opt == NULL || opt->size != sizeof(*opt) ||
	    opt->policy < PERCPU_POLICY_AUTO ||
	    opt->policy > PERCPU_POLICY_SHARED ||
	    opt->index < PERCPU_INDEX_CPU || opt->index > PERCPU_INDEX_CID)
		return -EINVAL;
	if (__atomic_load_n(&percpu__rt.policy, __ATOMIC_RELAXED) != 0)
		return -EBUSY;
	ret = decide_all(&p, opt);
	return ret < 0 ? ret : set_latch(p);
}

void percpu_in_force(struct percpu_options *opt)
{
	static const int policies[] = {
		[PERCPU_MODE_RSEQ] = PERCPU_POLICY_RSEQ,
		[PERCPU_MODE_ATOMIC] = PERCPU_POLICY_ATOMIC,
		[PERCPU_MODE_SHARED] = PERCPU_POLICY_SHARED,
	};
	struct percpu__policy p = percpu__policy();

	opt->size = sizeof(*opt);
	opt->policy = policies[p.mode];
	opt->index = p.index;
}

/* What hinders this thread under the policy rseq, WHY_LIBC if nothing does. */
static uint8_t hindrance(const struct percpu__policy *p)
{
	const struct percpu__area *area;

	percpu__area_attach(false);
	area = percpu__area();
	if (area == NULL || percpu__area_cpu(area) < 0)
		return WHY_THREAD;
	if (p->index == PERCPU_INDEX_CPU &&
	    (uint32_t)percpu__area_cpu(area) >= percpu__rt.nr_slots)
		return WHY_BEYOND;
	return WHY_LIBC;
}

enum percpu_mode percpu_backend(const char **why)
{
	struct percpu__policy p = percpu__policy();
	uint8_t hinder = WHY_LIBC;

	if (p.mode == PERCPU_MODE_RSEQ)
		hinder = hindrance(&p);
	if (why != NULL)
		*why = reasons[hinder != WHY_LIBC ? hinder : p.why];
	return hinder != WHY_LIBC ? PERCPU_MODE_SHARED :
				    (enum percpu_mode)p.mode;
}

unsigned percpu_nr_slots(void)
{
	percpu__policy();
	return percpu__rt.nr_slots;
}

size_t percpu_stride(void)
{
	percpu__policy();
	return percpu__rt.stride;
}
