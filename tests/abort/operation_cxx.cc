/* SPDX-License-Identifier: MIT */
#define LANGUAGE "C++"
#define TABLE operations_cxx
#include "operation_inlined.h"
