/* SPDX-License-Identifier: MIT */
#include "family.c"
