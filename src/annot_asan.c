/* SPDX-License-Identifier: MIT */
/*
 * annot_asan.c: AddressSanitizer, if the program runs under it.
 *
 * The sanitizer comes with the program, not with this library: its functions
 * are weak references, null in every other program.
 *
 * What a program poisons by hand is reported as "use-after-poison". So that a
 * report reads as it would for malloc, the bytes of the shadow that the public
 * function has set are then set to the allocator's own values, which the
 * sanitizer reports as "heap-buffer-overflow" and "heap-use-after-free".
 */
#include "annot.h"

#include <stdint.h>

/* Of the sanitizer's shadow. */
#define BY_HAND 0xf7
#define HEAP_RED_ZONE 0xfa
#define HEAP_FREED 0xfd

#define WEAK __attribute__((weak))

WEAK void __asan_poison_memory_region(const volatile void *p, size_t len);
WEAK void __asan_unpoison_memory_region(const volatile void *p, size_t len);
WEAK void __asan_get_shadow_mapping(size_t *scale, size_t *offset);
WEAK void __asan_set_error_report_callback(void (*f)(const char *));
WEAK void *__asan_get_report_address(void);
WEAK void __lsan_register_root_region(const void *p, size_t len);
WEAK void __lsan_unregister_root_region(const void *p, size_t len);
WEAK void __sanitizer_symbolize_pc(void *pc, const char *fmt, char *out,
				   size_t size);

bool percpu__annot_asan_on(void)
{
	return __asan_poison_memory_region != NULL &&
	       __asan_unpoison_memory_region != NULL;
}

void percpu__annot_asan_open(const void *p, size_t len)
{
	if (percpu__annot_asan_on())
		__asan_unpoison_memory_region(p, len);
}

/*
 * Of the shadow of [p, p + len), call what is poisoned by hand @value. The
 * shadow has none, where this library is built with the sanitizer, too.
 */
static __attribute__((no_sanitize("address"))) void
rename_shadow(const void *p, size_t len, uint8_t value)
{
	uintptr_t end = (uintptr_t)p + len;
	size_t scale;
	size_t offset;

	if (__asan_get_shadow_mapping == NULL)
		return;
	__asan_get_shadow_mapping(&scale, &offset);
	for (uintptr_t at = (uintptr_t)p; at < end;
	     at += (uintptr_t)1 << scale) {
		uint8_t *shadow = (uint8_t *)((at >> scale) + offset);

		if (*shadow == BY_HAND)
			*shadow = value;
	}
}

void percpu__annot_asan_shut(const void *p, size_t len, enum percpu__annot why)
{
	if (!percpu__annot_asan_on())
		return;
	__asan_poison_memory_region(p, len);
	rename_shadow(p, len,
		      why == PERCPU__ANNOT_FREED ? HEAP_FREED : HEAP_RED_ZONE);
}

void percpu__annot_asan_root(const void *p, size_t len, bool is)
{
	if (is && __lsan_register_root_region != NULL)
		__lsan_register_root_region(p, len);
	if (!is && __lsan_unregister_root_region != NULL)
		__lsan_unregister_root_region(p, len);
}

static void (*after_report)(const void *p);

static void reported(const char *text)
{
	(void)text;
	after_report(__asan_get_report_address());
}

void percpu__annot_asan_reports(void (*report)(const void *p))
{
	if (__asan_set_error_report_callback == NULL ||
	    __asan_get_report_address == NULL)
		return;
	after_report = report;
	__asan_set_error_report_callback(reported);
}

void percpu__annot_asan_name(const void *pc, char *name, size_t size)
{
	name[0] = '\0';
	if (__sanitizer_symbolize_pc != NULL)
		__sanitizer_symbolize_pc((void *)(uintptr_t)pc, "%f %S", name,
					 size);
}
