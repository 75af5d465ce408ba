/* SPDX-License-Identifier: MIT */
#include "misuse.h"

#include "message.h"
#include "os.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void percpu__misuse(const char *instead, const char *fmt, ...)
{
	const char *mode = percpu__os_env("PERCPU_MISUSE");
	char text[384];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	if (mode != NULL && strcmp(mode, "warn") == 0)
		percpu__message("%s%s", text, instead);
	else
		percpu__message_abort(
			"%s (PERCPU_MISUSE=warn in the environment goes on)",
			text);
}
