/* SPDX-License-Identifier: MIT */
#ifndef PERCPU_ARCH_SINGLE_MULTI_H
#define PERCPU_ARCH_SINGLE_MULTI_H
/*
 * single_multi.h: several adds as single ones, one after the other. They end
 * by themselves, so there is no rest for multi.h to see to.
 */

#define PERCPU__ADD_SINGLE(k)                                                  \
	percpu__add(percpu__h##k, percpu__v##k, percpu__w##k);

#define PERCPU__ADD_2 PERCPU__ADD_SINGLE(0) PERCPU__ADD_SINGLE(1)
#define PERCPU__ADD_3 PERCPU__ADD_2 PERCPU__ADD_SINGLE(2)
#define PERCPU__ADD_4 PERCPU__ADD_3 PERCPU__ADD_SINGLE(3)

#endif
