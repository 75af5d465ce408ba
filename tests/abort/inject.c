/* SPDX-License-Identifier: MIT */
#include "inject.h"

#include "check.h"

#include <link.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* The linker's names for the bounds of the descriptors. */
extern const struct section __start___rseq_cs[];
extern const struct section __stop___rseq_cs[];

extern const ElfW(Ehdr) __ehdr_start;

/* Where every instruction of the program starts, where they differ in length. */
static uintptr_t instructions[1 << 18];
static size_t instruction_count;

/* The points that are set now. */
static struct point *points;
static size_t point_count;
static void (*handler_hook)(void);
static unsigned turn;

static size_t section_count(void)
{
	return (size_t)(__stop___rseq_cs - __start___rseq_cs);
}

static uintptr_t load_address(void)
{
	return __ehdr_start.e_type == ET_DYN ? (uintptr_t)&__ehdr_start : 0;
}

static void list_instructions(void)
{
	char command[120];
	char line[4096];
	unsigned long at;
	char colon;
	FILE *f;

	snprintf(command, sizeof(command),
		 "objdump -d -w --no-show-raw-insn /proc/%d/exe 2>/dev/null",
		 (int)getpid());
	f = popen(command, "r");
	CHECK(f != NULL);
	while (fgets(line, sizeof(line), f) != NULL) {
		if (sscanf(line, " %lx%c\t", &at, &colon) != 2 || colon != ':')
			continue;
		CHECK(instruction_count <
		      sizeof(instructions) / sizeof(*instructions));
		instructions[instruction_count++] = load_address() + at;
	}
	if (pclose(f) != 0 || instruction_count == 0)
		SKIP("no objdump to find instructions with");
}

static void make_writable(const struct section *s)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	uintptr_t from = (s->start - 64) & ~(page - 1);

	if (mprotect((void *)from, section_end(s) + 64 - from,
		     PROT_READ | PROT_WRITE | PROT_EXEC) != 0)
		SKIP("instructions cannot be made writable");
}

static void set(struct point *p)
{
	p->saved = *(volatile cpu_code *)p->at;
	cpu_write_code(p->at, CPU_BREAKPOINT);
}

static void unset(const struct point *p)
{
	if (p->hits < p->times)
		cpu_write_code(p->at, p->saved);
}

static void set_all(void)
{
	for (size_t i = 0; i < point_count; i++)
		if (points[i].hits < points[i].times)
			set(&points[i]);
}

static void unset_all(void)
{
	for (size_t i = 0; i < point_count; i++)
		unset(&points[i]);
}

/* The point that brought the thread to @ip, by a breakpoint or an abort. */
static struct point *point_of(uintptr_t ip)
{
	for (size_t i = 0; i < point_count; i++)
		if (points[i].at + CPU_TRAP_SKIP == ip)
			return &points[i];
	for (size_t i = 0; i < point_count; i++)
		if (points[i].section->abort == ip &&
		    section_has(points[i].section, points[i].at))
			return &points[i];
	return NULL;
}

static void on_trap(int sig, siginfo_t *info, void *context)
{
	ucontext_t *u = context;
	uintptr_t ip = cpu_ip(u);
	struct point *p = point_of(ip);

	(void)info;
	if (p == NULL) {
		signal(sig, SIG_DFL);
		return;
	}
	unset_all();
	if (p->hits++ == 0)
		p->turn = turn++;
	if (ip == p->section->abort) {
		p->aborted++;
	} else {
		p->times = p->hits;
		cpu_set_ip(u, p->at);
	}
	if (handler_hook != NULL)
		handler_hook();
	set_all();
}

void inject_start(void)
{
	struct sigaction sa = { .sa_sigaction = on_trap,
				.sa_flags = SA_SIGINFO };

	CHECK(section_count() != 0);
	if (CPU_INSTRUCTION == 0)
		list_instructions();
	for (size_t i = 0; i < section_count(); i++)
		make_writable(&__start___rseq_cs[i]);
	CHECK(sigaction(SIGTRAP, &sa, NULL) == 0);
}

static size_t instruction_index(uintptr_t at)
{
	size_t i = 0;

	while (i < instruction_count && instructions[i] != at)
		i++;
	if (i == instruction_count)
		FAIL("no instruction starts at %#lx", (unsigned long)at);
	return i;
}

static size_t listed_instructions(const struct section *s, uintptr_t *at)
{
	size_t first = instruction_index(s->start) - 2;
	size_t count = instruction_index(section_end(s)) + 2 - first;

	CHECK(count <= INSTRUCTIONS_MAX);
	memcpy(at, &instructions[first], count * sizeof(*at));
	return count;
}

size_t inject_instructions(const struct section *s, uintptr_t *at)
{
	size_t count = 0;

	if (CPU_INSTRUCTION == 0)
		return listed_instructions(s, at);
	for (uintptr_t i = s->start - 2 * CPU_INSTRUCTION;
	     i < section_end(s) + 2 * CPU_INSTRUCTION; i += CPU_INSTRUCTION) {
		CHECK(count < INSTRUCTIONS_MAX);
		at[count++] = i;
	}
	return count;
}

/* The sections that a run of @op with a breakpoint in each went through. */
static size_t chain_once(const struct operation *op, void PERCPU *field,
			 const struct section **chain)
{
	size_t sections = section_count();
	struct point *all = calloc(sections, sizeof(*all));
	size_t count = 0;

	CHECK(all != NULL);
	for (size_t i = 0; i < sections; i++) {
		all[i].section = &__start___rseq_cs[i];
		all[i].at = all[i].section->start;
		all[i].times = 1;
	}
	inject_run(op, field, all, sections, NULL);
	for (size_t i = 0; i < sections; i++) {
		if (all[i].hits == 0)
			continue;
		CHECK(all[i].turn < CHAIN_MAX);
		chain[all[i].turn] = all[i].section;
		count++;
	}
	free(all);
	return count;
}

size_t inject_chain(const struct operation *op, void PERCPU *field,
		    const struct section **chain)
{
	const struct section *seen[CHAIN_MAX];
	size_t longest = 0;

	/* A time slice that ends where a section starts hides that section. */
	for (int i = 0; i < 4; i++) {
		size_t count = chain_once(op, field, seen);

		if (count <= longest)
			continue;
		longest = count;
		memcpy(chain, seen, count * sizeof(*seen));
	}
	if (longest == 0)
		FAIL("%s runs no section", op->name);
	return longest;
}

void inject_along(struct point *p, const struct section *const *chain, size_t n,
		  uintptr_t at)
{
	for (size_t i = 0; i <= n; i++)
		p[i] = (struct point){ .section = chain[i],
				       .at = i < n ? chain[i]->start : at,
				       .times = 1 };
}

void inject_run(const struct operation *op, void PERCPU *field,
		struct point *set, size_t count, void (*hook)(void))
{
	points = set;
	point_count = count;
	handler_hook = hook;
	turn = 0;
	set_all();
	op->run(field);
	unset_all();
	point_count = 0;
}

bool inject_hit(const struct operation *op, const struct point *p,
		bool registered)
{
	bool inside = section_has(p->section, p->at);

	if (p->aborted != (inside && registered ? p->hits : 0))
		FAIL("%s: %u of %u hits at %+ld aborted", op->name, p->aborted,
		     p->hits, (long)(p->at - p->section->start));
	return p->hits != 0;
}
