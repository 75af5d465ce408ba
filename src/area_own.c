/* SPDX-License-Identifier: MIT */
/*
 * area_own.c: C libraries that leave restartable sequences alone.
 *
 * Each thread gets an area from a pool of this library's. A pthread key finds
 * it and undoes the registration at the thread's end; the key exists only
 * where areas do. The pool's memory is never given back, since the kernel may
 * write to an area until its thread is gone, and once a thread is registered
 * the library stays loaded, since the key's destructor is part of it.
 *
 * The pool: pages in a list that only grows, areas claimed by a
 * compare-and-swap. There is no lock, so a fork at any moment leaves a working
 * pool; areas of threads that the child does not have stay claimed.
 *
 * Signals are blocked while a thread attaches, so a handler finds it either
 * attached or not. Old glibc may allocate in pthread_setspecific(), and hands a
 * stack to a new thread with a value that a late handler set: there, no
 * handler may attach, and "no signal is blocked" stands for "in no handler".
 */
#include "area.h"

#include "os.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>

struct slab_area {
	struct percpu__area area;
	atomic_bool taken;
} __attribute__((aligned(128)));

struct slab {
	struct slab *next;
	struct slab_area areas[];
};

static _Atomic(struct slab *) slabs;

/* The key + 1; 0 until it is made. */
static atomic_uint key;

/* Set once a registration was refused: nobody asks again. */
static atomic_bool refused;

static size_t areas_per_slab(void)
{
	return (percpu__os_page_size() - sizeof(struct slab)) /
	       sizeof(struct slab_area);
}

static struct slab_area *claim_in(struct slab *slab)
{
	for (size_t i = 0; i < areas_per_slab(); i++) {
		bool taken = false;

		if (atomic_compare_exchange_strong(&slab->areas[i].taken,
						   &taken, true))
			return &slab->areas[i];
	}
	return NULL;
}

static struct slab_area *claim_new(void)
{
	size_t len = percpu__os_page_size();
	struct slab *slab = percpu__os_map(len);

	if (slab == NULL)
		return NULL;
	atomic_init(&slab->areas[0].taken, true);
	slab->next = atomic_load(&slabs);
	while (!atomic_compare_exchange_weak(&slabs, &slab->next, slab))
		;
	return &slab->areas[0];
}

static struct slab_area *claim(void)
{
	struct slab_area *a;

	for (struct slab *s = atomic_load(&slabs); s != NULL; s = s->next) {
		a = claim_in(s);
		if (a != NULL)
			return a;
	}
	return claim_new();
}

static void at_thread_end(void *value)
{
	struct slab_area *a = value;

	if (percpu__os_rseq(&a->area, sizeof(a->area), 1, PERCPU__RSEQ_SIG) ==
	    0)
		atomic_store(&a->taken, false);
}

/* The destructor above must stay; dlopen may be missing in a static program. */
static void stay_loaded(void)
{
	extern __typeof__(dlopen) dlopen __attribute__((weak));
	extern __typeof__(dladdr) dladdr __attribute__((weak));
	Dl_info self;

	if (dlopen != NULL && dladdr != NULL &&
	    dladdr((void *)(uintptr_t)at_thread_end, &self) != 0)
		dlopen(self.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
}

static int make_key(void)
{
	unsigned none = 0;
	pthread_key_t k;

	if (atomic_load(&key) != 0)
		return 0;
	if (pthread_key_create(&k, at_thread_end) != 0)
		return -EAGAIN;
	if (!atomic_compare_exchange_strong(&key, &none, (unsigned)k + 1))
		pthread_key_delete(k);
	return 0;
}

struct percpu__area *percpu__area(void)
{
	unsigned k = atomic_load_explicit(&key, memory_order_relaxed);

	return k != 0 ? pthread_getspecific((pthread_key_t)(k - 1)) : NULL;
}

bool percpu__area_offset(int64_t *offset)
{
	(void)offset;
	return false;
}

static int attach_blocked(void)
{
	struct slab_area *a;
	int ret;

	if (percpu__area() != NULL)
		return -EBUSY;
	a = claim();
	if (a == NULL)
		return -ENOMEM;
	__atomic_store_n(&a->area.cpu_id, (uint32_t)-1, __ATOMIC_RELAXED);
	ret = percpu__os_rseq(&a->area, sizeof(a->area), 0, PERCPU__RSEQ_SIG);
	if (ret == 0 && percpu__area_cpu(&a->area) < 0)
		ret = -EIO;
	if (ret == 0 &&
	    pthread_setspecific((pthread_key_t)(atomic_load(&key) - 1), a) !=
		    0) {
		percpu__os_rseq(&a->area, sizeof(a->area), 1, PERCPU__RSEQ_SIG);
		ret = -ENOMEM;
	}
	if (ret < 0)
		atomic_store(&a->taken, false);
	return ret;
}

static int attach(void)
{
	sigset_t all;
	sigset_t before;
	int saved = errno;
	int ret;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	ret = attach_blocked();
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	errno = saved; /* an operation, perhaps of a handler, called */
	/* EINVAL is about this thread: it has, or just had, another area. */
	if (ret < 0 && ret != -EBUSY && ret != -ENOMEM && ret != -EINVAL)
		atomic_store(&refused, true);
	return ret;
}

static bool may_be_handler(void)
{
#if defined(__GLIBC__)
	sigset_t blocked;

	sigemptyset(&blocked);
	pthread_sigmask(SIG_BLOCK, NULL, &blocked);
	return !sigisemptyset(&blocked);
#else
	return false;
#endif
}

bool percpu__area_attach(bool in_handler)
{
	if (atomic_load_explicit(&key, memory_order_relaxed) == 0 ||
	    atomic_load_explicit(&refused, memory_order_relaxed) ||
	    percpu__area() != NULL || (in_handler && may_be_handler()))
		return false;
	return attach() == 0;
}

int percpu__area_start(enum percpu__owner *owner)
{
	int ret = make_key();

	*owner = PERCPU__OWNER_SELF;
	if (ret == 0 && percpu__area() == NULL)
		ret = attach();
	if (ret == 0)
		stay_loaded();
	return ret == -EBUSY ? 0 : ret;
}
