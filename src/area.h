/* SPDX-License-Identifier: MIT */
#ifndef PERCPU_SRC_AREA_H
#define PERCPU_SRC_AREA_H
/*
 * area.h: the memory that a thread shares with the kernel for restartable
 * sequences: where it is, who registers it, whether the kernel keeps it up to
 * date.
 *
 * Two files implement this; the build takes one. area_libc.c: glibc 2.35 and
 * later has the area at a constant distance from the thread pointer of every
 * thread. area_own.c: other C libraries, with areas of this library's own.
 *
 * In an area only rseq_cs is ever written here.
 */
#include <percpu/arch.h>

#include <stdbool.h>
#include <stdint.h>
#ifdef PERCPU__LIBC_AREA
#include <sys/rseq.h>
#endif

/* The kernel's struct rseq as of Linux 6.3; 20 bytes of it until then. */
struct percpu__area {
	uint32_t cpu_id_start;
	uint32_t cpu_id;
	uint64_t rseq_cs;
	uint32_t flags;
	uint32_t node_id;
	uint32_t mm_cid;
	uint32_t unused;
} __attribute__((aligned(32)));

/* What glibc registers with; an area without it cannot be used by others. */
#if defined(__x86_64__)
#define PERCPU__RSEQ_SIG 0x53053053u
#elif defined(__aarch64__)
#define PERCPU__RSEQ_SIG 0xd428bc00u
#else
#define PERCPU__RSEQ_SIG 0x53053053u
#endif

enum percpu__owner {
	PERCPU__OWNER_LIBC, /* libc registers each thread as it starts */
	PERCPU__OWNER_SELF  /* this library registers threads */
};

/*
 * Who registers threads here, once for the process; attaches the caller if it
 * is this library. Returns -ENOSYS, -EPERM ... where nobody can, -EIO where
 * the kernel accepts a registration and does not act on it.
 */
int percpu__area_start(enum percpu__owner *owner);

/*
 * This thread's area, NULL if it has none. Safe in signal handlers. A build
 * with PERCPU__OWN_AREA takes area_own.c where area_libc.c would do too.
 */
#if defined(PERCPU__LIBC_AREA) && !defined(PERCPU__OWN_AREA)
static inline struct percpu__area *percpu__area(void)
{
	return (struct percpu__area *)((char *)__builtin_thread_pointer() +
				       __rseq_offset);
}
#else
struct percpu__area *percpu__area(void);
#endif

/* The id that the kernel last wrote to @area, or -1, -2. */
static inline int32_t percpu__area_cpu(const struct percpu__area *area)
{
	return (int32_t)__atomic_load_n(&area->cpu_id, __ATOMIC_RELAXED);
}

/*
 * Register this thread where that is the library's part and it is not yet;
 * @in_handler: the caller may be in a signal handler. True if it was not
 * registered before and is now.
 */
bool percpu__area_attach(bool in_handler);

/*
 * Whether every thread's area is at one distance from its thread pointer, so
 * that inlined sections find it; if so, *@offset is that distance in bytes.
 */
bool percpu__area_offset(int64_t *offset);

/*
 * Whether the kernel keeps @area, this thread's, up to date. A registration
 * may be gone while its last values stand: after a restore from a checkpoint,
 * after a raw unregistration, under a filter that answers 0 and does nothing.
 */
bool percpu__area_live(struct percpu__area *area);

#endif
