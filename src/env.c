/* SPDX-License-Identifier: MIT */
#include "env.h"

#include "message.h"
#include "os.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* NULL if it is not set, or to nothing. */
static const char *get(const struct percpu__env *e)
{
	const char *word = percpu__os_env(e->name);

	return word == NULL || *word == '\0' ? NULL : word;
}

static void refuse(struct percpu__env *e, const char *word, const char *allowed,
		   const char *instead)
{
	if (__atomic_exchange_n(&e->said, 1, __ATOMIC_RELAXED) == 0)
		percpu__message("%s=%.40s is ignored; it may be %s; used is %s",
				e->name, word, allowed, instead);
}

int percpu__env_choice(struct percpu__env *e, const char *const *words)
{
	const char *word = get(e);
	char allowed[64] = "";
	size_t len = 0;

	if (word == NULL)
		return -1;
	for (int i = 0; words[i] != NULL; i++) {
		if (strcmp(word, words[i]) == 0)
			return i;
		if (len < sizeof(allowed))
			len += (size_t)snprintf(allowed + len,
						sizeof(allowed) - len, "%s%s",
						i > 0 ? ", " : "", words[i]);
	}
	refuse(e, word, allowed, e->instead);
	return -1;
}

static bool parse(const char *digits, uint32_t *number)
{
	uint64_t n = 0;

	for (; *digits != '\0'; digits++) {
		n = n * 10 + (unsigned char)(*digits - '0');
		if (*digits < '0' || *digits > '9' || n > UINT32_MAX)
			return false;
	}
	*number = (uint32_t)n;
	return true;
}

uint32_t percpu__env_number(struct percpu__env *e, uint32_t otherwise)
{
	const char *word = get(e);
	uint32_t number = otherwise;
	char instead[40];

	if (word == NULL || parse(word, &number))
		return number;
	snprintf(instead, sizeof(instead), "%u %s", otherwise, e->instead);
	refuse(e, word, "a number from 0 to 4294967295", instead);
	return otherwise;
}
