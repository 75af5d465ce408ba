/* SPDX-License-Identifier: MIT */
/* The same in C++. */
#include "objects.c"
