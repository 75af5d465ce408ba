/* SPDX-License-Identifier: MIT */
#include "ref.c"
