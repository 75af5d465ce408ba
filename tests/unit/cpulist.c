/* SPDX-License-Identifier: MIT */
/*
 * Lists of ids: what the kernel prints, and what it would never print, which
 * names no id at all.
 */
#include "cpulist.h"
#include "check.h"

#include <string.h>

#define IDS 70000u

/* A list, its highest id, and an exact number of ids below IDS. */
static const struct {
	const char *text;
	long max;
	unsigned count;
} good[] = {
	{ "0\n", 0, 1 },
	{ "0", 0, 1 },
	{ "0-1\n", 1, 2 },
	{ "0-3,7,900-1023\n", 1023, 129 },
	{ "0-3,7,900-1023", 1023, 129 },
	{ "1,3,5\n", 5, 3 },
	{ "5000", 5000, 1 },
	{ "8-8", 8, 1 },
	{ "9,2", 9, 2 },
	{ "65535-65536", 65536, 2 },
	{ "1000000", 1000000, 0 },
	{ "0-63\nrubbish after the line", 63, 64 },
};

static const char *const bad[] = {
	"",
	"\n",
	"x",
	"-1",
	"-",
	",",
	"0-",
	"0-\n",
	"3-0",
	"0--3",
	"0-3,x",
	"0-3,,5",
	"0 1",
	" 0",
	"0-3-5",
	"0x10",
	"0-3\t",
	"+1",
	"1000001",
	"0-1000001",
	"4294967296",
	"18446744073709551616",
	"0-99999999999999999999999999",
	"99999999999999999999999999-0",
};

static unsigned count(const char *text)
{
	unsigned n = 0;

	for (unsigned id = 0; id < IDS; id++)
		n += percpu__cpulist_has(text, id);
	return n;
}

static void check_gaps(void)
{
	static const unsigned in[] = { 0, 3, 7, 900, 1023 };
	static const unsigned out[] = { 4, 6, 8, 899, 1024, 4294967295u };

	for (size_t i = 0; i < sizeof(in) / sizeof(in[0]); i++)
		CHECK(percpu__cpulist_has("0-3,7,900-1023\n", in[i]));
	for (size_t i = 0; i < sizeof(out) / sizeof(out[0]); i++)
		CHECK(!percpu__cpulist_has("0-3,7,900-1023\n", out[i]));
}

int main(void)
{
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		if (percpu__cpulist_max(good[i].text) != good[i].max)
			FAIL("highest id of '%s'", good[i].text);
		if (count(good[i].text) != good[i].count)
			FAIL("ids in '%s'", good[i].text);
		if (good[i].count != 0 &&
		    percpu__cpulist_count(good[i].text) != good[i].count)
			FAIL("the count of '%s'", good[i].text);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		if (percpu__cpulist_max(bad[i]) != -1)
			FAIL("'%s' has a highest id", bad[i]);
		if (count(bad[i]) != 0)
			FAIL("'%s' names an id", bad[i]);
		if (percpu__cpulist_count(bad[i]) != 0)
			FAIL("'%s' counts ids", bad[i]);
	}
	check_gaps();
	return TEST_PASS;
}
