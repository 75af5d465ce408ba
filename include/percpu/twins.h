/* SPDX-License-Identifier: MIT */
#ifndef PERCPU_TWINS_H
#define PERCPU_TWINS_H
/*
 * twins.h: every operation as an exported function, for languages that cannot
 * inline ops.h, and for the ways out of its inlined sections.
 *
 * @h is a handle, or a field of one, aligned to the width in the name. Effect,
 * ordering and contexts are those of the operation of that name in ops.h.
 */
#include <percpu/base.h>

PERCPU__DECLS_BEGIN

#define PERCPU__TWINS(w)                                                       \
	void percpu_add_u##w(void PERCPU *h, uint##w##_t v);                   \
	void percpu_sub_u##w(void PERCPU *h, uint##w##_t v);                   \
	void percpu_inc_u##w(void PERCPU *h);                                  \
	void percpu_dec_u##w(void PERCPU *h);                                  \
	void percpu_write_u##w(void PERCPU *h, uint##w##_t v);                 \
	uint##w##_t percpu_read_u##w(void PERCPU *h);                          \
	uint##w##_t percpu_sum_u##w(void PERCPU *h);

PERCPU__TWINS(8)
PERCPU__TWINS(16)
PERCPU__TWINS(32)
PERCPU__TWINS(64)
#undef PERCPU__TWINS

/* The object of slot @slot, of this thread's slot, and of the shared slot. */
void *percpu_ptr_raw(void PERCPU *h, unsigned slot);
void *percpu_this_ptr_raw(void PERCPU *h);
void *percpu_shared_ptr_raw(void PERCPU *h);

PERCPU__DECLS_END
#endif
