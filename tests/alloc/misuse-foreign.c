/* SPDX-License-Identifier: MIT */
/*
 * Conformance 13: what never was a handle cannot be freed: small numbers, the
 * heap, the stack, code, other mappings, the units and the book of a chunk,
 * places in its guard that were never given out, addresses beyond it.
 */
#include "apart.h"

#include <sys/mman.h>

#define NO_HANDLE "is no handle"

static void check_numbers(void)
{
	static const uintptr_t numbers[] = { 1, 2, 4, 8, 64, 4096, 65536 };

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		check_bad_free((void *)numbers[i], NO_HANDLE);
		check_bad_free((void *)(UINTPTR_MAX - numbers[i] + 1),
			       NO_HANDLE);
		check_bad_free((void *)(numbers[i] << 40), NO_HANDLE);
	}
}

static void check_memory(void)
{
	static char variable[64];
	char stack[64];
	char *heap = malloc(64);
	char *large = malloc((size_t)1 << 20);
	char *mapped = mmap(NULL, (size_t)4 << 20, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	CHECK(heap != NULL && large != NULL && mapped != MAP_FAILED);
	check_bad_free(variable, NO_HANDLE);
	check_bad_free(stack, NO_HANDLE);
	check_bad_free(heap, NO_HANDLE);
	check_bad_free(heap + 8, NO_HANDLE);
	check_bad_free(large, NO_HANDLE);
	check_bad_free((void *)(uintptr_t)check_numbers, NO_HANDLE);
	for (size_t i = 0; i < (size_t)4 << 20; i += (size_t)512 << 10)
		check_bad_free(mapped + i, NO_HANDLE);
	munmap(mapped, (size_t)4 << 20);
	free(heap);
	free(large);
}

/* All of a chunk that is no guard, and what is about it. */
static void check_chunk(char PERCPU *h)
{
	size_t stride = percpu_stride();
	unsigned slots = percpu_nr_slots();

	for (unsigned slot = 0; slot <= slots && slot < 4; slot++)
		check_bad_free(percpu_ptr(h, slot), NO_HANDLE);
	check_bad_free(percpu_shared_ptr(h), NO_HANDLE);
	check_bad_free(h + (slots + 2) * stride, NO_HANDLE);
	check_bad_free(h - stride, NO_HANDLE);
	for (unsigned shift = 21; shift < 30; shift++) {
		check_bad_free(h + ((size_t)slots << shift), NO_HANDLE);
		check_bad_free(h - ((size_t)slots << shift), NO_HANDLE);
	}
}

int main(void)
{
	char PERCPU *h;

	/* Before there is any chunk, and with one. */
	check_numbers();
	check_memory();
	h = must_alloc(8, 8);
	check_numbers();
	check_memory();
	check_chunk(h);
	/* Never given out; the kind of message is not promised. */
	check_bad_free(h + 4096, "");
	check_bad_free(h + 4096 + 3, "");
	percpu_free(h);
	return TEST_PASS;
}
