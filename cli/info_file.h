/* SPDX-License-Identifier: MIT */
#ifndef CLI_INFO_FILE_H
#define CLI_INFO_FILE_H
/*
 * info_file.h: lines of /sys and /proc, any of which may be missing, and
 * memory to hold them. What the command collects lives until it ends.
 */
#include <stddef.h>
#include <stdio.h>

/* The first line of a file, without its end; NULL if there is none. */
__attribute__((format(printf, 1, 2))) char *info_line(const char *path, ...);

/* The number at the start of that line; 0 if there is none. A K is 1024. */
__attribute__((format(printf, 1, 2))) size_t info_number(const char *path, ...);

/* As realloc and open_memstream; where memory is short the command ends. */
void *info_realloc(void *p, size_t size);
FILE *info_memstream(char **text, size_t *size);

#endif
