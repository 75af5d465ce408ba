/* SPDX-License-Identifier: MIT */
/*
 * annot_valgrind.c: Valgrind's memcheck, if the program runs under it. A
 * request is a few instructions that do nothing on a real processor; they come
 * from Valgrind's header, without which this file is empty.
 *
 * A block is made like malloc's, since memcheck then tells where it was asked
 * for and where it was freed. Blocks of VALGRIND_CREATE_BLOCK have one stack
 * and are found by a linear search when one is made; those of a pool have no
 * advantage over malloc's.
 */
#include "annot.h"

#ifdef PERCPU__VALGRIND
#include <valgrind/memcheck.h>

bool percpu__annot_valgrind_on(void)
{
	return RUNNING_ON_VALGRIND != 0;
}

void percpu__annot_valgrind_open(const void *p, size_t len)
{
	(void)VALGRIND_MAKE_MEM_DEFINED(p, len);
}

void percpu__annot_valgrind_shut(const void *p, size_t len)
{
	(void)VALGRIND_MAKE_MEM_NOACCESS(p, len);
}

void percpu__annot_valgrind_block(const void *p, size_t size)
{
	VALGRIND_MALLOCLIKE_BLOCK(p, size, 0, 1);
}

void percpu__annot_valgrind_unblock(const void *p)
{
	VALGRIND_FREELIKE_BLOCK(p, 0);
}

#else

bool percpu__annot_valgrind_on(void)
{
	return false;
}

void percpu__annot_valgrind_open(const void *p, size_t len)
{
	(void)p;
	(void)len;
}

void percpu__annot_valgrind_shut(const void *p, size_t len)
{
	(void)p;
	(void)len;
}

void percpu__annot_valgrind_block(const void *p, size_t size)
{
	(void)p;
	(void)size;
}

void percpu__annot_valgrind_unblock(const void *p)
{
	(void)p;
}

#endif
