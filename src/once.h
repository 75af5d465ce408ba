/* SPDX-License-Identifier: MIT */
#ifndef PERCPU_SRC_ONCE_H
#define PERCPU_SRC_ONCE_H
/*
 * once.h: what several threads work out at the same time, each for itself and
 * all alike, is written by one of them, and none waits for another.
 */
#include <stdint.h>

/*
 * Make *@word, which is 0 until then, @v, which is the same for all who do. Who
 * has set several so, and then releases a last one, makes all of them known to
 * who acquires that: they are written no more, and may be read plainly.
 */
void percpu__once_32(uint32_t *word, uint32_t v);
void percpu__once_64(uint64_t *word, uint64_t v);

#endif
