/* SPDX-License-Identifier: MIT */
/*
 * hooks.c: what -fsanitize=thread makes of accesses to memory, for the model
 * in place of ThreadSanitizer's library. Each hook tells the model first: that
 * is where another CPU may come in between. An atomic is one write.
 */
#include "model.h"

#include <string.h>

/* The names are the compilers'; no header declares them. */
#pragma GCC diagnostic ignored "-Wmissing-prototypes"

void __tsan_init(void)
{
}

void __tsan_func_entry(void *caller)
{
	(void)caller;
}

void __tsan_func_exit(void)
{
}

#define PLAIN(prefix, size)                                                    \
	void __tsan_##prefix##read##size(void *p)                              \
	{                                                                      \
		model_access(p, size, MODEL_READ);                             \
	}                                                                      \
	void __tsan_##prefix##write##size(void *p)                             \
	{                                                                      \
		model_access(p, size, MODEL_WRITE);                            \
	}                                                                      \
	void __tsan_##prefix##read_write##size(void *p)                        \
	{                                                                      \
		model_access(p, size, MODEL_READ);                             \
		model_access(p, size, MODEL_WRITE);                            \
	}

#define PLAINS(size)                                                           \
	PLAIN(, size)                                                          \
	PLAIN(unaligned_, size)                                                \
	PLAIN(volatile_, size) PLAIN(unaligned_volatile_, size)

PLAINS(1)
PLAINS(2)
PLAINS(4)
PLAINS(8)
PLAINS(16)

void __tsan_read_range(void *p, size_t size)
{
	model_access(p, size, MODEL_READ);
}

void __tsan_write_range(void *p, size_t size)
{
	model_access(p, size, MODEL_WRITE);
}

/* clang's calls in place of libc's. */
void *__tsan_memcpy(void *to, const void *from, size_t size)
{
	model_access(from, size, MODEL_READ);
	model_access(to, size, MODEL_WRITE);
	return memcpy(to, from, size);
}

void *__tsan_memmove(void *to, const void *from, size_t size)
{
	model_access(from, size, MODEL_READ);
	model_access(to, size, MODEL_WRITE);
	return memmove(to, from, size);
}

void *__tsan_memset(void *p, int byte, size_t size)
{
	model_access(p, size, MODEL_WRITE);
	return memset(p, byte, size);
}

#define UPDATE(bits, name, value)                                              \
	uint##bits##_t __tsan_atomic##bits##_##name(                           \
		volatile uint##bits##_t *p, uint##bits##_t v, int order)       \
	{                                                                      \
		uint##bits##_t old;                                            \
                                                                               \
		(void)order;                                                   \
		model_access(p, sizeof(*p), MODEL_WRITE);                      \
		old = *p;                                                      \
		*p = (uint##bits##_t)(value);                                  \
		return old;                                                    \
	}

#define COMPARE(bits, name)                                                    \
	int __tsan_atomic##bits##_compare_exchange_##name(                     \
		volatile uint##bits##_t *p, uint##bits##_t *expected,          \
		uint##bits##_t v, int order, int order_if_not)                 \
	{                                                                      \
		uint##bits##_t wanted = *expected;                             \
                                                                               \
		(void)order;                                                   \
		(void)order_if_not;                                            \
		model_access(p, sizeof(*p), MODEL_WRITE);                      \
		*expected = *p;                                                \
		if (*p == wanted)                                              \
			*p = v;                                                \
		return *expected == wanted;                                    \
	}

/* clang's form. */
#define COMPARE_VALUE(bits)                                                    \
	uint##bits##_t __tsan_atomic##bits##_compare_exchange_val(             \
		volatile uint##bits##_t *p, uint##bits##_t expected,           \
		uint##bits##_t v, int order, int order_if_not)                 \
	{                                                                      \
		__tsan_atomic##bits##_compare_exchange_strong(                 \
			p, &expected, v, order, order_if_not);                 \
		return expected;                                               \
	}

#define ATOMICS(bits)                                                          \
	uint##bits##_t __tsan_atomic##bits##_load(                             \
		const volatile uint##bits##_t *p, int order)                   \
	{                                                                      \
		(void)order;                                                   \
		model_access(p, sizeof(*p), MODEL_READ);                       \
		return *p;                                                     \
	}                                                                      \
	void __tsan_atomic##bits##_store(volatile uint##bits##_t *p,           \
					 uint##bits##_t v, int order)          \
	{                                                                      \
		(void)order;                                                   \
		model_access(p, sizeof(*p), MODEL_WRITE);                      \
		*p = v;                                                        \
	}                                                                      \
	UPDATE(bits, exchange, v)                                              \
	UPDATE(bits, fetch_add, old + v)                                       \
	UPDATE(bits, fetch_sub, old - v)                                       \
	UPDATE(bits, fetch_and, old &v)                                        \
	UPDATE(bits, fetch_or, old | v)                                        \
	UPDATE(bits, fetch_xor, old ^ v)                                       \
	UPDATE(bits, fetch_nand, ~(old & v))                                   \
	COMPARE(bits, strong)                                                  \
	COMPARE(bits, weak)                                                    \
	COMPARE_VALUE(bits)

ATOMICS(8)
ATOMICS(16)
ATOMICS(32)
ATOMICS(64)

void __tsan_atomic_thread_fence(int order)
{
	(void)order;
}

void __tsan_atomic_signal_fence(int order)
{
	(void)order;
}
