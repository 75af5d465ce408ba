/* SPDX-License-Identifier: MIT */
#include "rows.h"

#include <stddef.h>

const struct row *const rows[] = { rows_control, rows_operation, rows_alloc,
				   rows_ref,	 rows_fallback,	 NULL };
