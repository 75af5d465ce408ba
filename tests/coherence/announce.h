/* SPDX-License-Identifier: MIT */
#ifndef TESTS_COHERENCE_ANNOUNCE_H
#define TESTS_COHERENCE_ANNOUNCE_H
/*
 * announce.h: for the twins of sections, which are not instrumented: each
 * access is announced as it is made. An instruction that changes a word in
 * memory reads it and then writes it.
 */
#include "model.h"

#define LOAD(p)                                                                \
	(model_access(p, sizeof(*(p)), MODEL_READ),                            \
	 *(volatile __typeof__(*(p)) *)(p))

#define STORE(p, v)                                                            \
	do {                                                                   \
		__typeof__(*(p)) v_ = (v);                                     \
                                                                               \
		model_access(p, sizeof(*(p)), MODEL_WRITE);                    \
		*(volatile __typeof__(*(p)) *)(p) = v_;                        \
	} while (0)

#endif
