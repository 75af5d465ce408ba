/* SPDX-License-Identifier: MIT */
/* The header's extern "C" suffices. */
#include "variables.c"
