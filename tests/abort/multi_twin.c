/* SPDX-License-Identifier: MIT */
/*
 * multi_twin.c: the functions for other languages, called by themselves.
 */
#include "multi.h"

static const uint64_t values[8] = { 1, 0 - 2ull, 3, 4, 5, 6, 7, 0 - 8ull };

static void block_2(void)
{
	percpu_add_block_u64(&multi_object->field[8], values, 2);
}

static void block_4(void)
{
	percpu_add_block_u64(&multi_object->field[8], values, 4);
}

static void block_8(void)
{
	percpu_add_block_u64(&multi_object->field[8], values, 8);
}

static void block_3(void)
{
	percpu_add_block_u64(&multi_object->field[8], values, 3);
}

static void list(void)
{
	const struct percpu_addend adds[] = {
		{ &multi_object->field[8], 0 - 1ull, 8 },
		{ &multi_object->field[9], 0x1ff, 1 },
		{ &multi_object->field[10], 0x1ffff, 2 },
		{ &multi_object->field[11], 7, 4 },
	};

	percpu_add_all_list(adds, 4);
}

#define FIRST_TWO                                                              \
	{ 8, 8, 1 },                                                           \
	{                                                                      \
		9, 8, 0 - 2ull                                                 \
	}
#define FIRST_FOUR                                                             \
	FIRST_TWO, { 10, 8, 3 },                                               \
	{                                                                      \
		11, 8, 4                                                       \
	}

const struct multi multi_twin[] = {
	{ "twin block_2", block_2, 1, { FIRST_TWO } },
	{ "twin block_4", block_4, 1, { FIRST_FOUR } },
	{ "twin block_8",
	  block_8,
	  1,
	  { FIRST_FOUR,
	    { 12, 8, 5 },
	    { 13, 8, 6 },
	    { 14, 8, 7 },
	    { 15, 8, 0 - 8ull } } },
	{ "twin block_3", block_3, 1, { FIRST_TWO, { 10, 8, 3 } } },
	{ "twin list",
	  list,
	  1,
	  { { 8, 8, 0 - 1ull },
	    { 9, 1, 255 },
	    { 10, 2, 0xffff },
	    { 11, 4, 7 } } },
	{ NULL, NULL, 0, { { 0, 0, 0 } } }
};
