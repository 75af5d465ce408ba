/* SPDX-License-Identifier: MIT */
#include "message.h"

#include "os.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static void say(const char *fmt, va_list args)
{
	static const char prefix[] = "libpercpu: ";
	char line[512];
	size_t len = (size_t)snprintf(line, sizeof(line), "%s", prefix);
	int n = vsnprintf(line + len, sizeof(line) - len - 1, fmt, args);

	if (n > 0)
		len += (size_t)n < sizeof(line) - len - 1 ?
			       (size_t)n :
			       sizeof(line) - len - 2;
	line[len++] = '\n';
	percpu__os_complain(line, len);
}

void percpu__message(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	say(fmt, args);
	va_end(args);
}

void percpu__message_abort(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	say(fmt, args);
	va_end(args);
	abort();
}
