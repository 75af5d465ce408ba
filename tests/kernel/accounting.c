/* SPDX-License-Identifier: MIT */
/*
 * What file systems and the memory manager account by percpu_counter: free and
 * dirty blocks compared with a reserve, pages of a tmpfs up to its limit,
 * committed memory in large batches, counters of each process made together.
 * All sums are exact, no limit is passed, and a comparison is right beside it.
 */
#include "port.h"

enum { STEPS = 50000, BLOCKS = 50000, RESERVED = 1000, MAX_PAGES = 5000 };
enum { NR_MM_COUNTERS = 4, MM_BATCH = 32, VM_BATCH = 4096 };

struct fs_info {
	struct percpu_counter s_freeblocks_counter;
	struct percpu_counter s_dirtyblocks_counter;
};

struct shmem_sb_info {
	struct percpu_counter used_blocks;
	long max_blocks;
};

struct mm_struct {
	struct percpu_counter rss_stat[NR_MM_COUNTERS];
};

static struct fs_info fs;
static struct shmem_sb_info shm = { .max_blocks = MAX_PAGES };
static struct percpu_counter vm_committed_as ____cacheline_aligned_in_smp;
static s64 taken, shm_pages, vm_pages;

/* An estimate does while there is plenty, an exact sum where there is not. */
static bool fs_has_free_blocks(struct fs_info *s, s64 nblocks)
{
	struct percpu_counter *fbc = &s->s_freeblocks_counter;
	struct percpu_counter *dbc = &s->s_dirtyblocks_counter;
	s64 watermark = 4 * (s64)percpu_counter_batch * nr_cpu_ids;
	s64 left = percpu_counter_read_positive(fbc);
	s64 dirty = percpu_counter_read_positive(dbc);

	if (left - (nblocks + RESERVED + dirty) < watermark) {
		left = percpu_counter_sum_positive(fbc);
		dirty = percpu_counter_sum_positive(dbc);
	}
	return left >= nblocks + RESERVED + dirty;
}

static int fs_claim_free_blocks(struct fs_info *s, s64 nblocks)
{
	if (!fs_has_free_blocks(s, nblocks))
		return -ENOSPC;
	percpu_counter_add(&s->s_dirtyblocks_counter, nblocks);
	return 0;
}

static void fs_da_update_reserve_space(struct fs_info *s, s64 used)
{
	percpu_counter_sub(&s->s_dirtyblocks_counter, used);
	percpu_counter_sub(&s->s_freeblocks_counter, used);
}

/* Takes first, and gives back what was too much. */
static int fs_mod_fdblocks(struct fs_info *s, s64 delta)
{
	struct percpu_counter *c = &s->s_freeblocks_counter;
	s32 batch = MM_BATCH * 8;

	if (__percpu_counter_compare(c, 2 * RESERVED, batch) < 0)
		batch = 1;
	percpu_counter_add_batch(c, delta, batch);
	if (delta >= 0 || __percpu_counter_compare(c, RESERVED, batch) >= 0)
		return 0;
	percpu_counter_add_batch(c, -delta, batch);
	return -ENOSPC;
}

static int shmem_inode_acct_blocks(struct shmem_sb_info *sbinfo, long pages)
{
	if (!percpu_counter_limited_add(&sbinfo->used_blocks,
					sbinfo->max_blocks, pages))
		return -ENOSPC;
	return 0;
}

static long shmem_inode_unacct_blocks(struct shmem_sb_info *sbinfo, long pages)
{
	percpu_counter_sub(&sbinfo->used_blocks, pages);
	return pages;
}

static void vm_acct_memory(long pages)
{
	percpu_counter_add_batch(&vm_committed_as, pages, VM_BATCH);
}

static int mm_init(struct mm_struct *mm)
{
	return percpu_counter_init_many(mm->rss_stat, 0, GFP_KERNEL_ACCOUNT,
					NR_MM_COUNTERS);
}

static void check_mm(struct mm_struct *mm, const s64 *pages)
{
	for (int i = 0; i < NR_MM_COUNTERS; i++) {
		CHECK(percpu_counter_initialized(&mm->rss_stat[i]));
		CHECK_EQ(percpu_counter_sum(&mm->rss_stat[i]), pages[i]);
	}
}

/* A process comes, faults pages in, and goes. */
static void mm_life(struct thread *t)
{
	struct mm_struct mm;
	s64 pages[NR_MM_COUNTERS] = { 0 };

	CHECK(mm_init(&mm) == 0);
	for (unsigned i = 0; i < 200; i++) {
		unsigned member = next_random(t) % NR_MM_COUNTERS;
		s64 n = (s64)(next_random(t) % 512) - 128;

		percpu_counter_add(&mm.rss_stat[member], n);
		percpu_counter_inc(&mm.rss_stat[0]);
		pages[member] += n;
		pages[0]++;
	}
	check_mm(&mm, pages);
	percpu_counter_destroy_many(mm.rss_stat, NR_MM_COUNTERS);
	CHECK(!percpu_counter_initialized(&mm.rss_stat[0]));
}

/* Uses a few blocks and pages at a time, and gives some of them back. */
static void account(struct thread *t)
{
	s64 blocks = 0, vm = 0;
	long pages = 0;

	for (unsigned i = 0; i < STEPS; i++) {
		long n = (long)(next_random(t) % 8) + 1;

		if (fs_claim_free_blocks(&fs, n) == 0) {
			fs_da_update_reserve_space(&fs, n);
			blocks += n;
		} else if (fs_mod_fdblocks(&fs, -n) == 0) {
			blocks += n;
		} else if (blocks >= n) {
			CHECK(fs_mod_fdblocks(&fs, n) == 0);
			blocks -= n;
		}
		if (shmem_inode_acct_blocks(&shm, n) == 0)
			pages += n;
		else
			pages -= shmem_inode_unacct_blocks(&shm, pages / 2);
		vm_acct_memory(n - 3);
		vm += n - 3;
	}
	mm_life(t);
	__atomic_fetch_add(&taken, blocks, __ATOMIC_RELAXED);
	__atomic_fetch_add(&shm_pages, pages, __ATOMIC_RELAXED);
	__atomic_fetch_add(&vm_pages, vm, __ATOMIC_RELAXED);
}

static void check_compare(struct percpu_counter *c)
{
	s64 sum = percpu_counter_sum(c);

	for (s64 d = -3 * VM_BATCH; d <= 3 * VM_BATCH; d++)
		CHECK(percpu_counter_compare(c, sum + d) == (d < 0) - (d > 0));
}

static void check_full(void)
{
	CHECK(shm_pages <= MAX_PAGES);
	CHECK_EQ(percpu_counter_sum(&shm.used_blocks), shm_pages);
	for (s64 i = shm_pages; i < MAX_PAGES; i++)
		CHECK(shmem_inode_acct_blocks(&shm, 1) == 0);
	CHECK(shmem_inode_acct_blocks(&shm, 1) == -ENOSPC);
	CHECK_EQ(percpu_counter_sum(&shm.used_blocks), MAX_PAGES);
}

int main(int argc, char **argv)
{
	count_threads(argc, argv);
	CHECK(percpu_counter_init(&fs.s_freeblocks_counter, BLOCKS,
				  GFP_KERNEL) == 0);
	CHECK(percpu_counter_init(&fs.s_dirtyblocks_counter, 0, GFP_KERNEL) ==
	      0);
	CHECK(percpu_counter_init(&shm.used_blocks, 0, GFP_KERNEL) == 0);
	CHECK(percpu_counter_init(&vm_committed_as, 0, GFP_KERNEL) == 0);
	run_threads(account);
	CHECK_EQ(percpu_counter_sum(&fs.s_freeblocks_counter), BLOCKS - taken);
	CHECK_EQ(percpu_counter_sum(&fs.s_dirtyblocks_counter), 0);
	CHECK_EQ(percpu_counter_sum(&vm_committed_as), vm_pages);
	check_full();
	check_compare(&vm_committed_as);
	check_compare(&fs.s_freeblocks_counter);
	percpu_counter_set(&fs.s_freeblocks_counter, 5);
	CHECK_EQ(percpu_counter_sum(&fs.s_freeblocks_counter), 5);
	percpu_counter_destroy(&fs.s_freeblocks_counter);
	percpu_counter_destroy(&fs.s_dirtyblocks_counter);
	percpu_counter_destroy(&shm.used_blocks);
	percpu_counter_destroy(&shm.used_blocks);
	percpu_counter_destroy(&vm_committed_as);
	return TEST_PASS;
}
