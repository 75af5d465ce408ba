/* SPDX-License-Identifier: MIT */
#define LANGUAGE "C"
#define TABLE operations_c
#include "operation_inlined.h"
