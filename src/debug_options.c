/* SPDX-License-Identifier: MIT */
#include "debug_options.h"

#include <stdint.h>
#include <string.h>

/* @digits, k or m behind them, no more than @len characters; false if not. */
static bool parse_bytes(const char *digits, size_t len, size_t *bytes)
{
	unsigned shift = 0;
	uint64_t n = 0;

	if (len > 0 && (digits[len - 1] | 0x20) == 'k')
		shift = 10;
	else if (len > 0 && (digits[len - 1] | 0x20) == 'm')
		shift = 20;
	len -= shift != 0;
	if (len == 0 || len > 9)
		return false;
	for (size_t i = 0; i < len; i++) {
		if (digits[i] < '0' || digits[i] > '9')
			return false;
		n = n * 10 + (unsigned)(digits[i] - '0');
	}
	if (n << shift > SIZE_MAX)
		return false;
	*bytes = (size_t)(n << shift);
	return true;
}

static bool is(const char *word, size_t len, const char *name)
{
	return len == strlen(name) && memcmp(word, name, len) == 0;
}

static bool quarantine(struct percpu__debug_options *o, const char *word,
		       size_t len)
{
	static const char name[] = "quarantine=";
	const size_t skip = sizeof(name) - 1;

	if (is(word, len, "quarantine")) {
		o->quarantine = PERCPU__DEBUG_QUARANTINE;
		o->quarantined = true;
		return true;
	}
	if (len < skip || memcmp(word, name, skip) != 0 ||
	    !parse_bytes(word + skip, len - skip, &o->quarantine))
		return false;
	o->quarantined = true;
	return true;
}

static void parse_word(struct percpu__debug_options *o, const char *word,
		       size_t len)
{
	size_t keep = len < sizeof(o->unknown) ? len : sizeof(o->unknown) - 1;

	if (is(word, len, "all") || is(word, len, "1")) {
		o->poison = true;
		if (!o->quarantined)
			quarantine(o, "quarantine", strlen("quarantine"));
	} else if (is(word, len, "poison")) {
		o->poison = true;
	} else if (!quarantine(o, word, len)) {
		if (o->unknown[0] == '\0')
			memcpy(o->unknown, word, keep);
		return;
	}
	o->given = true;
}

void percpu__debug_options_parse(struct percpu__debug_options *o,
				 const char *words)
{
	memset(o, 0, sizeof(*o));
	while (words != NULL) {
		size_t len = strcspn(words, ",");

		if (len > 0)
			parse_word(o, words, len);
		words = words[len] == ',' ? words + len + 1 : NULL;
	}
}
