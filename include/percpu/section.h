/* SPDX-License-Identifier: MIT */
#ifndef PERCPU_SECTION_H
#define PERCPU_SECTION_H
/*
 * section.h: restartable sequences of one's own, for what ops.h does not have.
 * Here is an operation that keeps the largest value that each CPU has seen:
 *
 *   static void keep_max(uint64_t PERCPU *h, uint64_t v)
 *   {
 *   #if defined(PERCPU_SECTION_X86_64)
 *           for (unsigned n = 0; n < PERCPU_SECTION_TRIES; n++) {
 *                   bool failed;
 *
 *                   PERCPU_SECTION_X86_64("cmpq %[v], (%%rax)\n\t"
 *                                         "jae 775f\n\t"
 *                                         "movq %[v], (%%rax)",
 *                                         (PERCPU_SECTION_FAILED(failed)),
 *                                         (PERCPU_SECTION_ON(h), [v] "r"(v)));
 *                   if (!failed)
 *                           return;
 *           }
 *   #endif
 *           uint64_t *slot = (uint64_t *)percpu_atomic_ptr_raw(h);
 *           uint64_t old = __atomic_load_n(slot, __ATOMIC_RELAXED);
 *
 *           while (old < v && !__atomic_compare_exchange_n(slot, &old, v, true,
 *                              __ATOMIC_RELAXED, __ATOMIC_RELAXED))
 *                   ;
 *   }
 *
 * PERCPU_SECTION_X86_64(text, outputs, inputs) makes one try. @text is
 * assembly in the syntax of gcc's extended asm:
 *
 * 1. It finds this thread's object in rax. rcx and the flags are free, too;
 *    other registers are outputs, "=&r", never "=r": inputs are read again.
 * 2. Its last instruction is its only store that anybody but the caller reads.
 *    Whatever comes before may be done in part and thrown away.
 * 3. To end without a store it jumps to 775f. It uses no local label from 771
 *    to 776, calls nothing, makes no system call, and leaves the stack alone.
 * 4. @outputs begins with PERCPU_SECTION_FAILED(failed), @inputs with
 *    PERCPU_SECTION_ON(handle), each in parentheses.
 *
 * Then, if @failed is false, the text ran to an end, on one CPU, and nobody
 * else ran on that CPU meanwhile; if it is true, nothing was stored, and the
 * other outputs mean nothing. Either this thread was interrupted, or it runs no
 * sequences of programs: after PERCPU_SECTION_TRIES the operation must be made
 * by atomics on percpu_atomic_ptr_raw(handle), where no sequence stores, or
 * otherwise. What readers want is then in all slots and in the shared slot.
 *
 * PERCPU_SECTION_AARCH64 is the same on that processor, but that the object is
 * in x15, and x16, x17 and the flags are free. Its processor adds in registers:
 *
 *   PERCPU_SECTION_AARCH64("ldr x16, [x15]\n\t"
 *                          "cmp x16, %[v]\n\t"
 *                          "b.hs 775f\n\t"
 *                          "str %[v], [x15]",
 *                          (PERCPU_SECTION_FAILED(failed)),
 *                          (PERCPU_SECTION_ON(h), [v] "r"(v)));
 *
 * A store of two registers (stp) may be done in half when the thread is
 * interrupted there, and is no commit.
 *
 * Where neither macro is defined (another architecture or C library, or a
 * program built for ThreadSanitizer), that is the only way.
 */
#include <percpu/arch.h>
#include <percpu/base.h>
#include <percpu/twins.h>

/* A sequence takes nanoseconds: so many aborts in a row are on purpose. */
#define PERCPU_SECTION_TRIES 16u

#endif
