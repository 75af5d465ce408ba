/* SPDX-License-Identifier: MIT */
#ifndef TESTS_VM_SECTION_H
#define TESTS_VM_SECTION_H
/*
 * section.h: a restartable section that is not the library's, and tells its
 * caller when it was aborted: what a machine does to sections is seen by it
 * without asking the library.
 */
#include <stdbool.h>
#include <stdint.h>
#include <sys/rseq.h>

#define SECTION_STRIDE 128

/* Instructions without effect between the section's load and its commit. */
#ifndef SECTION_NOPS
#define SECTION_NOPS 0
#endif

/* The CPU of this thread, at this moment. */
static inline uint32_t section_cpu(void)
{
	const char *thread = __builtin_thread_pointer();

	return *(const volatile uint32_t *)(const void *)(thread +
							  __rseq_offset + 4);
}

/*
 * Add 1 to the 64-bit word of this CPU in *@base, which is read within the
 * section; false if it was aborted, and nothing was added. The thread must be
 * registered by libc.
 */
static inline bool section_inc(char *const volatile *base)
{
#if defined(__x86_64__)
	__asm__ goto(".pushsection __rseq_cs, \"aw\"\n\t"
		     ".balign 32\n"
		     "1:\n\t"
		     ".long 0, 0\n\t"
		     ".quad 2f, 3f - 2f, 4f\n\t"
		     ".popsection\n\t"
		     "leaq 1b(%%rip), %%rax\n\t"
		     "movq %%rax, %%fs:8(%[area])\n"
		     "2:\n\t"
		     "movl %%fs:4(%[area]), %%eax\n\t"
		     "imulq %[stride], %%rax\n\t"
		     "addq %[base], %%rax\n\t"
		     ".rept %c[nops]\n\t"
		     "nop\n\t"
		     ".endr\n\t"
		     "incq (%%rax)\n"
		     "3:\n\t"
		     "movq $0, %%fs:8(%[area])\n\t"
		     ".pushsection __rseq_failure, \"ax\"\n\t"
		     ".byte 0x0f, 0xb9, 0x3d\n\t"
		     ".long 0x53053053\n"
		     "4:\n\t"
		     "jmp %l[aborted]\n\t"
		     ".popsection\n\t"
		     :
		     : [area] "r"(__rseq_offset), [base] "m"(*base),
		       [stride] "i"(SECTION_STRIDE), [nops] "i"(SECTION_NOPS)
		     : "rax", "cc", "memory"
		     : aborted);
#elif defined(__aarch64__)
	__asm__ goto(".pushsection __rseq_cs, \"aw\"\n\t"
		     ".balign 32\n"
		     "1:\n\t"
		     ".word 0, 0\n\t"
		     ".quad 2f, 3f - 2f, 4f\n\t"
		     ".popsection\n\t"
		     "adrp x9, 1b\n\t"
		     "add x9, x9, :lo12:1b\n\t"
		     "str x9, [%[area], 8]\n"
		     "2:\n\t"
		     "ldr w9, [%[area], 4]\n\t"
		     "ldr x10, [%[base]]\n\t"
		     "madd x9, x9, %[stride], x10\n\t"
		     ".rept %c[nops]\n\t"
		     "nop\n\t"
		     ".endr\n\t"
		     "ldr x10, [x9]\n\t"
		     "add x10, x10, 1\n\t"
		     "str x10, [x9]\n"
		     "3:\n\t"
		     "str xzr, [%[area], 8]\n\t"
		     "b 5f\n\t"
		     ".inst 0xd428bc00\n"
		     "4:\n\t"
		     "b %l[aborted]\n"
		     "5:\n\t"
		     :
		     : [area] "r"((char *)__builtin_thread_pointer() +
				  __rseq_offset),
		       [base] "r"(base), [stride] "r"((long)SECTION_STRIDE),
		       [nops] "i"(SECTION_NOPS)
		     : "x9", "x10", "cc", "memory"
		     : aborted);
#else
#error no section for this machine
#endif
	return true;
aborted:
	return false;
}

/* The sum of the words of @cpus CPUs. */
static inline uint64_t section_sum(const char *base, unsigned cpus)
{
	uint64_t sum = 0;

	for (unsigned cpu = 0; cpu < cpus; cpu++)
		sum += __atomic_load_n(
			(const uint64_t *)(const void *)(base +
							 cpu * SECTION_STRIDE),
			__ATOMIC_RELAXED);
	return sum;
}

#endif
