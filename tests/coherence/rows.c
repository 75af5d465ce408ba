/* SPDX-License-Identifier: MIT */
#include "rows.h"

#include <stddef.h>

const struct row *const rows[] = { rows_control,  rows_operation,
				   rows_counter,  rows_ref,
				   rows_alloc,	  rows_call,
				   rows_fallback, NULL };
