/* SPDX-License-Identifier: MIT */
#include "info_file.h"

#include "cmd.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static void give_up(void)
{
	fputs("percpu info: out of memory\n", stderr);
	exit(CMD_FAILED);
}

void *info_realloc(void *p, size_t size)
{
	p = realloc(p, size);
	if (p == NULL)
		give_up();
	return p;
}

FILE *info_memstream(char **text, size_t *size)
{
	FILE *f = open_memstream(text, size);

	if (f == NULL)
		give_up();
	return f;
}

static char *line_of(const char *format, va_list args)
{
	char path[256];
	char *line = NULL;
	size_t size = 0;
	FILE *f;

	vsnprintf(path, sizeof(path), format, args);
	f = fopen(path, "re");
	if (f == NULL)
		return NULL;
	if (getline(&line, &size, f) <= 0) {
		free(line);
		line = NULL;
	} else {
		line[strcspn(line, "\n")] = '\0';
	}
	fclose(f);
	return line;
}

char *info_line(const char *path, ...)
{
	va_list args;
	char *line;

	va_start(args, path);
	line = line_of(path, args);
	va_end(args);
	return line;
}

size_t info_number(const char *path, ...)
{
	va_list args;
	char *line;
	char *end;
	size_t n;

	va_start(args, path);
	line = line_of(path, args);
	va_end(args);
	if (line == NULL)
		return 0;
	n = strtoul(line, &end, 10);
	n *= *end == 'K' ? 1024 : 1;
	free(line);
	return n;
}
