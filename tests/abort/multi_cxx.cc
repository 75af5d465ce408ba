/* SPDX-License-Identifier: MIT */
#define LANGUAGE "C++"
#define TABLE multi_cxx
#include "multi_inlined.h"
