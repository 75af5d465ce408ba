/* SPDX-License-Identifier: MIT */
/* exit.c, and an object whose destructor uses the variables as well. */
#include "exit.c"

static const struct object {
	~object()
	{
		use_and_check();
	}
} object;
