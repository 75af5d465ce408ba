/* SPDX-License-Identifier: MIT */
#include "misuse.h"

#include "env.h"
#include "message.h"

#include <stdarg.h>
#include <stdio.h>

bool percpu__misuse_is_fatal(void)
{
	static const char *const words[] = { "abort", "warn", NULL };
	static struct percpu__env env = { "PERCPU_MISUSE", "abort", 0 };

	return percpu__env_choice(&env, words) != 1;
}

void percpu__misuse(const char *instead, const char *fmt, ...)
{
	bool fatal = percpu__misuse_is_fatal();
	char text[384];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	if (fatal)
		percpu__message_abort(
			"%s (PERCPU_MISUSE=warn in the environment goes on)",
			text);
	percpu__message("%s%s", text, instead);
}
