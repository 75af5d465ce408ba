/* SPDX-License-Identifier: MIT */
/*
 * announced.c: what the model's twin of a section announces is what the section
 * accesses: the same addresses, widths and kinds, in the same order, from where
 * it arms to where it disarms; with a result and without, refused or not.
 *
 * The real section is stepped through by the processor's trap flag, and each
 * instruction decoded before it runs. The kernel would abort it at each step,
 * so the thread's registration is undone first, and cpu_id written by hand.
 */
#include "announced.h"

#include "check.h"
#include "decode.h"
#include "section.h"

#include <percpu/percpu.h>

#include <signal.h>
#include <string.h>
#include <sys/rseq.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#define TRAP_FLAG 0x100
#define ACCESSES 32u
#define WORDS 8u

struct list {
	unsigned n;
	struct access {
		uintptr_t at;
		size_t size;
		enum model_kind kind;
	} access[ACCESSES];
};

struct object {
	uint64_t words[WORDS];
} __attribute__((aligned(64)));

/* A section as its descriptor has it. */
struct descriptor {
	uint32_t version;
	uint32_t flags;
	uintptr_t start;
	uintptr_t length;
	uintptr_t abort;
};

extern const struct descriptor __start___rseq_cs[];
extern const struct descriptor __stop___rseq_cs[];

uint64_t announced_out;
struct percpu__caches announced_caches;
struct percpu__guarded announced_guarded = { 1, NULL };
struct percpu__counter_claim announced_claim;
const uint64_t announced_two = 2, announced_none;
ptrdiff_t model_rseq_offset;
const unsigned model_rseq_size = sizeof(struct percpu__area);

static struct object PERCPU *object;
static struct list announced;
static struct list seen;
static const struct announced *now;
static volatile bool stepping;
static bool armed;

static void append(struct list *list, uintptr_t at, size_t size,
		   enum model_kind kind)
{
	CHECK(list->n < ACCESSES);
	list->access[list->n++] = (struct access){ at, size, kind };
}

/* The twins' thread is the real one. */
void *model_thread_pointer(void)
{
	return __builtin_thread_pointer();
}

void model_access(const volatile void *p, size_t size, enum model_kind kind)
{
	append(&announced, (uintptr_t)p, size, kind);
}

/* Whether what is looked at begins with the instruction at @at. */
static bool begins(uintptr_t at)
{
	uintptr_t next = decode_next(at);

	if (now->unarmed)
		return at == (uintptr_t)now->run;
	for (const struct descriptor *d = __start___rseq_cs;
	     d < __stop___rseq_cs; d++)
		if (d->start == next)
			return true;
	return false;
}

static bool within(uintptr_t at, const void *p, size_t size)
{
	return at - (uintptr_t)p < size;
}

/* Beside a section a compiler's own accesses lie: of addresses of symbols. */
static void see(uintptr_t at, size_t size, enum model_kind kind)
{
	if (now->unarmed && !within(at, &percpu__rt, sizeof(percpu__rt)) &&
	    !within(at, percpu__area(), sizeof(struct percpu__area)))
		return;
	append(&seen, at, size, kind);
	if (seen.n > 1 && at == (uintptr_t)&percpu__area()->rseq_cs)
		armed = false;
}

static void on_trap(int sig, siginfo_t *info, void *context)
{
	ucontext_t *u = context;
	greg_t *flags = &u->uc_mcontext.gregs[REG_EFL];

	(void)sig;
	(void)info;
	*flags = stepping ? *flags | TRAP_FLAG : *flags & ~TRAP_FLAG;
	if (!stepping)
		return;
	if (seen.n == 0 && begins((uintptr_t)u->uc_mcontext.gregs[REG_RIP]))
		armed = true;
	else if (now->unarmed &&
		 decode_returns((uintptr_t)u->uc_mcontext.gregs[REG_RIP]))
		armed = false;
	if (armed)
		decode_access(u, see);
}

static void fill(const struct announced *op, char *cache)
{
	struct object *slot;

	percpu_for_each_slot (slot, object)
		for (unsigned i = 0; i < WORDS; i++)
			slot->words[i] = op->word;
	for (size_t i = 0; i < announced_caches.stride / 8; i++)
		((uint64_t *)(void *)cache)[i] = op->word;
}

static void step(const struct announced *op)
{
	seen.n = 0;
	armed = false;
	now = op;
	stepping = true;
	raise(SIGTRAP);
	op->run((void PERCPU *)object);
	stepping = false;
	raise(SIGTRAP);
}

static const char *name_of(uintptr_t at)
{
	if (at == (uintptr_t)&percpu__area()->rseq_cs)
		return "rseq_cs";
	if (at == (uintptr_t)&percpu__area()->cpu_id)
		return "cpu_id";
	if (within(at, &percpu__rt, sizeof(percpu__rt)))
		return "percpu__rt";
	if (within(at, percpu_ptr(object, 0), sizeof(struct object)))
		return "the object";
	if (at == (uintptr_t)&announced_out)
		return "the result";
	return "other";
}

static void print(const char *who, const struct list *list)
{
	fprintf(stderr, "%s:\n", who);
	for (unsigned i = 0; i < list->n; i++) {
		const struct access *a = &list->access[i];

		fprintf(stderr, "  %s %zu bytes at %#lx, %s\n",
			a->kind == MODEL_READ ? "read" : "write", a->size,
			(unsigned long)a->at, name_of(a->at));
	}
}

static bool is_same(const struct access *a, const struct access *b)
{
	return a->at == b->at && a->size == b->size && a->kind == b->kind;
}

/* Whether access number @i of @list was announced, and in its order. */
static bool is_announced(const struct list *list, unsigned i, bool any_order)
{
	if (!any_order)
		return is_same(&announced.access[i], &list->access[i]);
	for (unsigned k = 0; k < announced.n; k++)
		if (is_same(&announced.access[k], &list->access[i]))
			return true;
	return false;
}

static void compare(const struct announced *op)
{
	bool same = announced.n == seen.n && seen.n >= 2 && !armed;

	for (unsigned i = 0; same && i < seen.n; i++)
		same = is_announced(&seen, i, op->unarmed);
	if (same)
		return;
	print("announced", &announced);
	print("accessed", &seen);
	FAIL("%s of %lu differs", op->name, (unsigned long)op->word);
}

/* Under a cpu_id of @id. */
static unsigned check_all(uint32_t id, char *cache)
{
	unsigned n = 0;

	percpu__area()->cpu_id = id;
	for (; announced_real[n].name != NULL; n++) {
		if (announced_real[n].bytes > percpu__rt.vector)
			continue;
		fill(&announced_real[n], cache);
		step(&announced_real[n]);
		fill(&announced_real[n], cache);
		announced.n = 0;
		announced_twin[n].run((void PERCPU *)object);
		compare(&announced_real[n]);
	}
	return n;
}

int main(void)
{
	struct sigaction sa = { .sa_sigaction = on_trap,
				.sa_flags = SA_SIGINFO };
	static uint64_t cache[64];
	const char *why;

	model_rseq_offset = __rseq_offset;
	object = percpu_new(struct object);
	CHECK(object != NULL);
	if (percpu_backend(&why) != PERCPU_MODE_RSEQ)
		SKIP("%s", why);
	if (syscall(__NR_rseq, percpu__area(), 32, RSEQ_FLAG_UNREGISTER,
		    RSEQ_SIG) != 0)
		SKIP("this thread's registration cannot be undone");
	decode_start();
	CHECK(sigaction(SIGTRAP, &sa, NULL) == 0);
	announced_caches.base = (char *)cache;
	announced_caches.stride = sizeof(cache);
	printf("%u sections\n", check_all(0, (char *)cache));
	check_all((uint32_t)-1, (char *)cache);
	announced_caches.base = NULL;
	check_all(0, (char *)cache);
	return TEST_PASS;
}
