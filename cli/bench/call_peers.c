/* SPDX-License-Identifier: MIT */
#include "call_peers.h"

#include "harness.h"

#include <errno.h>
#include <stddef.h>
#include <unistd.h>

enum { EIGHT = 8 };

struct item {
	void (*fn)(void *arg);
	void *arg;
};

static void relax(void)
{
#if defined(__x86_64__)
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ volatile("isb" : : : "memory");
#endif
}

static struct {
	struct item item;
	int full;
} HARNESS_APART mailbox;

static bool is_full(void)
{
	return __atomic_load_n(&mailbox.full, __ATOMIC_ACQUIRE) != 0;
}

void peer_mailbox_call(void (*fn)(void *), void *arg)
{
	mailbox.item = (struct item){ fn, arg };
	__atomic_store_n(&mailbox.full, 1, __ATOMIC_RELEASE);
	while (is_full())
		relax();
}

static void serve_mailbox(struct partner *p)
{
	while (!partner_leaves(p)) {
		if (is_full()) {
			mailbox.item.fn(mailbox.item.arg);
			__atomic_store_n(&mailbox.full, 0, __ATOMIC_RELEASE);
		}
		relax();
	}
}

struct partner peer_mailbox = { .serve = serve_mailbox };

static struct {
	pthread_mutex_t lock;
	pthread_cond_t asked, answered;
	struct item item;
	bool full;
} HARNESS_APART cond = { .lock = PTHREAD_MUTEX_INITIALIZER,
			 .asked = PTHREAD_COND_INITIALIZER,
			 .answered = PTHREAD_COND_INITIALIZER };

void peer_cond_call(void (*fn)(void *), void *arg)
{
	pthread_mutex_lock(&cond.lock);
	cond.item = (struct item){ fn, arg };
	cond.full = true;
	pthread_cond_signal(&cond.asked);
	while (cond.full)
		pthread_cond_wait(&cond.answered, &cond.lock);
	pthread_mutex_unlock(&cond.lock);
}

static void serve_cond(struct partner *p)
{
	pthread_mutex_lock(&cond.lock);
	while (!partner_leaves(p)) {
		if (!cond.full) {
			pthread_cond_wait(&cond.asked, &cond.lock);
			continue;
		}
		cond.item.fn(cond.item.arg);
		cond.full = false;
		pthread_cond_signal(&cond.answered);
	}
	pthread_mutex_unlock(&cond.lock);
}

static void wake_cond(struct partner *p)
{
	(void)p;
	pthread_mutex_lock(&cond.lock);
	pthread_cond_signal(&cond.asked);
	pthread_mutex_unlock(&cond.lock);
}

struct partner peer_cond = { .serve = serve_cond, .wake = wake_cond };

static struct {
	int there[2];
	int back[2];
	struct item item;
} HARNESS_APART pipes;

int peer_pipe_open(void)
{
	if (pipe(pipes.there) != 0)
		return -errno;
	if (pipe(pipes.back) == 0)
		return 0;
	close(pipes.there[0]);
	close(pipes.there[1]);
	return -errno;
}

void peer_pipe_close(void)
{
	for (unsigned i = 0; i < 2; i++) {
		close(pipes.there[i]);
		close(pipes.back[i]);
	}
}

static void put(int fd)
{
	while (write(fd, "", 1) != 1)
		;
}

static void get(int fd)
{
	char byte;

	while (read(fd, &byte, 1) != 1)
		;
}

void peer_pipe_call(void (*fn)(void *), void *arg)
{
	pipes.item = (struct item){ fn, arg };
	put(pipes.there[1]);
	get(pipes.back[0]);
}

static void serve_pipe(struct partner *p)
{
	for (;;) {
		get(pipes.there[0]);
		if (partner_leaves(p))
			return;
		pipes.item.fn(pipes.item.arg);
		put(pipes.back[1]);
	}
}

static void wake_pipe(struct partner *p)
{
	(void)p;
	put(pipes.there[1]);
}

struct partner peer_pipe = { .serve = serve_pipe, .wake = wake_pipe };

/* @sent and @run only grow; what is between them waits. */
static struct {
	pthread_mutex_t lock;
	pthread_cond_t not_empty, not_full;
	struct item items[EIGHT];
	uint64_t sent, run;
} HARNESS_APART queue = { .lock = PTHREAD_MUTEX_INITIALIZER,
			  .not_empty = PTHREAD_COND_INITIALIZER,
			  .not_full = PTHREAD_COND_INITIALIZER };

static void wait_for_fewer(uint64_t than)
{
	while (queue.sent - queue.run >= than)
		pthread_cond_wait(&queue.not_full, &queue.lock);
}

void peer_queue_call(void (*fn)(void *), void *arg)
{
	pthread_mutex_lock(&queue.lock);
	wait_for_fewer(EIGHT);
	queue.items[queue.sent++ % EIGHT] = (struct item){ fn, arg };
	pthread_cond_signal(&queue.not_empty);
	pthread_mutex_unlock(&queue.lock);
}

void peer_queue_flush(void)
{
	pthread_mutex_lock(&queue.lock);
	wait_for_fewer(1);
	pthread_mutex_unlock(&queue.lock);
}

/* The function runs without the lock, as in programs. */
static void serve_queue(struct partner *p)
{
	pthread_mutex_lock(&queue.lock);
	while (!partner_leaves(p)) {
		struct item item = queue.items[queue.run % EIGHT];

		if (queue.sent == queue.run) {
			pthread_cond_wait(&queue.not_empty, &queue.lock);
			continue;
		}
		pthread_mutex_unlock(&queue.lock);
		item.fn(item.arg);
		pthread_mutex_lock(&queue.lock);
		queue.run++;
		pthread_cond_signal(&queue.not_full);
	}
	pthread_mutex_unlock(&queue.lock);
}

static void wake_queue(struct partner *p)
{
	(void)p;
	pthread_mutex_lock(&queue.lock);
	pthread_cond_signal(&queue.not_empty);
	pthread_mutex_unlock(&queue.lock);
}

struct partner peer_queue = { .serve = serve_queue, .wake = wake_queue };
