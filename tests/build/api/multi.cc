/* SPDX-License-Identifier: MIT */
#include "multi.c"
