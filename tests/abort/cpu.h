/* SPDX-License-Identifier: MIT */
#ifndef TESTS_ABORT_CPU_H
#define TESTS_ABORT_CPU_H
/*
 * cpu.h: what the tests in this directory know of the processor.
 */
#include <stdint.h>
#include <ucontext.h>

#if defined(__x86_64__)

/* The unit in which a breakpoint replaces code; all of it is one. */
typedef uint8_t cpu_code;
#define CPU_BREAKPOINT 0xcc /* int3 */
/* How far beyond a breakpoint its trap leaves the thread. */
#define CPU_TRAP_SKIP 1u
/* Bytes of each instruction; 0: they differ. */
#define CPU_INSTRUCTION 0u
/* How many bytes every such processor stores at once. */
#define CPU_STORES 16u

/* Of a section of one's own: store v where it is more than what is there. */
#define CPU_SECTION PERCPU_SECTION_X86_64
#define CPU_KEEP_MAX                                                           \
	"cmpq %[v], (%%rax)\n\t"                                               \
	"jae 775f\n\t"                                                         \
	"movq %[v], (%%rax)"

static inline uintptr_t cpu_ip(const ucontext_t *u)
{
	return (uintptr_t)u->uc_mcontext.gregs[REG_RIP];
}

static inline void cpu_set_ip(ucontext_t *u, uintptr_t ip)
{
	u->uc_mcontext.gregs[REG_RIP] = (greg_t)ip;
}

#elif defined(__aarch64__)

typedef uint32_t cpu_code;
#define CPU_BREAKPOINT 0xd4200000 /* brk #0 */
#define CPU_TRAP_SKIP 0u
#define CPU_INSTRUCTION 4u
#define CPU_STORES 8u

#define CPU_SECTION PERCPU_SECTION_AARCH64
#define CPU_KEEP_MAX                                                           \
	"ldr x16, [x15]\n\t"                                                   \
	"cmp x16, %[v]\n\t"                                                    \
	"b.hs 775f\n\t"                                                        \
	"str %[v], [x15]"

static inline uintptr_t cpu_ip(const ucontext_t *u)
{
	return u->uc_mcontext.pc;
}

static inline void cpu_set_ip(ucontext_t *u, uintptr_t ip)
{
	u->uc_mcontext.pc = ip;
}

#endif

/* Write code that this thread runs next. */
static inline void cpu_write_code(uintptr_t at, cpu_code code)
{
	*(volatile cpu_code *)at = code;
	__builtin___clear_cache((char *)at, (char *)(at + sizeof(code)));
}

#endif
