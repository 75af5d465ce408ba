/* SPDX-License-Identifier: MIT */
/*
 * multi_inlined.h: the body of multi_c.c and multi_cxx.cc: every count, every
 * width, values that are constants and not, that carry, that are negative.
 */
#include "multi.h"

static volatile uint64_t in_register = 0x8b8b8b8b8b8b8b8bull;
static volatile int64_t negative = -2;

#define AT(type, n) ((type PERCPU *)multi_field(n))

static __attribute__((noinline)) void block_2(void)
{
	percpu_add_block(&multi_object->field[8], 1, -1);
}

static __attribute__((noinline)) void block_4(void)
{
	percpu_add_block(&multi_object->field[8], 1, in_register, negative, 4);
}

static __attribute__((noinline)) void block_8(void)
{
	percpu_add_block(&multi_object->field[8], 1, in_register, negative, 4,
			 5, negative, -7, in_register);
}

static __attribute__((noinline)) void all_2(void)
{
	percpu_add_all(AT(uint64_t, 8), negative, AT(uint8_t, 9), 0x7b);
}

static __attribute__((noinline)) void all_3(void)
{
	percpu_add_all(AT(uint8_t, 8), in_register, AT(uint16_t, 10), -1,
		       AT(uint32_t, 12), in_register);
}

static __attribute__((noinline)) void all_4(void)
{
	percpu_add_all(AT(uint64_t, 8), in_register, AT(uint32_t, 10), -5,
		       AT(uint16_t, 12), in_register, AT(int8_t, 14), negative);
}

static __attribute__((noinline)) void all_8(void)
{
	percpu_add_all(AT(uint64_t, 8), 1, AT(uint64_t, 9), in_register,
		       AT(uint64_t, 10), negative, AT(uint32_t, 11), 4,
		       AT(uint16_t, 12), 0xffff, AT(uint8_t, 13), 255,
		       AT(uint32_t, 14), negative, AT(int16_t, 15),
		       in_register);
}

#define EIGHTS 0x8b8b8b8b8b8b8b8bull
#define MINUS(n) (0 - (uint64_t)(n))
#define NAMED(name) LANGUAGE " " #name, name, 0

const struct multi TABLE[] = {
	{ NAMED(block_2), { { 8, 8, 1 }, { 9, 8, MINUS(1) } } },
	{ NAMED(block_4),
	  { { 8, 8, 1 },
	    { 9, 8, EIGHTS },
	    { 10, 8, MINUS(2) },
	    { 11, 8, 4 } } },
	{ NAMED(block_8),
	  { { 8, 8, 1 },
	    { 9, 8, EIGHTS },
	    { 10, 8, MINUS(2) },
	    { 11, 8, 4 },
	    { 12, 8, 5 },
	    { 13, 8, MINUS(2) },
	    { 14, 8, MINUS(7) },
	    { 15, 8, EIGHTS } } },
	{ NAMED(all_2), { { 8, 8, MINUS(2) }, { 9, 1, 0x7b } } },
	{ NAMED(all_3),
	  { { 8, 1, EIGHTS }, { 10, 2, MINUS(1) }, { 12, 4, EIGHTS } } },
	{ NAMED(all_4),
	  { { 8, 8, EIGHTS },
	    { 10, 4, MINUS(5) },
	    { 12, 2, EIGHTS },
	    { 14, 1, MINUS(2) } } },
	{ NAMED(all_8),
	  { { 8, 8, 1 },
	    { 9, 8, EIGHTS },
	    { 10, 8, MINUS(2) },
	    { 11, 4, 4 },
	    { 12, 2, 0xffff },
	    { 13, 1, 255 },
	    { 14, 4, MINUS(2) },
	    { 15, 2, EIGHTS } } },
	{ NULL, NULL, 0, { { 0, 0, 0 } } }
};
