/* SPDX-License-Identifier: MIT */
#ifndef PERCPU_SRC_STARTUP_H
#define PERCPU_SRC_STARTUP_H
/*
 * startup.h: which of the loader's objects the program started with: itself,
 * the libraries that it is linked with, those of LD_PRELOAD. None of them is
 * ever unloaded, so their destructors run at exit only.
 */
#include <stdbool.h>

/*
 * Whether @address lies in such an object. In threads; takes the loader's lock
 * of dl_iterate_phdr().
 */
bool percpu__startup_has(const void *address);

#endif
