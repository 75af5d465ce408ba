/* SPDX-License-Identifier: MIT */
#ifndef PERCPU_SRC_STATICS_H
#define PERCPU_SRC_STATICS_H
/*
 * statics.h: what the library asks of variables that are there from the start,
 * beside what percpu/static.h does.
 */
#include <percpu/static.h>
#include <stdbool.h>

/*
 * Whether @v has its object, which is made now if memory was short before.
 * Context: threads, @v's constructor has run or will.
 */
bool percpu__statics_again(struct percpu__static *v);

#endif
