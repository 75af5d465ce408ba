/* SPDX-License-Identifier: MIT */
#define LANGUAGE "C"
#define TABLE multi_c
#include "multi_inlined.h"
