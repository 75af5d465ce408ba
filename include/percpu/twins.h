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
#include <stdbool.h>

PERCPU__DECLS_BEGIN

#define PERCPU__TWINS(w)                                                       \
	void percpu_add_u##w(void PERCPU *h, uint##w##_t v);                   \
	void percpu_sub_u##w(void PERCPU *h, uint##w##_t v);                   \
	void percpu_inc_u##w(void PERCPU *h);                                  \
	void percpu_dec_u##w(void PERCPU *h);                                  \
	void percpu_and_u##w(void PERCPU *h, uint##w##_t v);                   \
	void percpu_or_u##w(void PERCPU *h, uint##w##_t v);                    \
	void percpu_xor_u##w(void PERCPU *h, uint##w##_t v);                   \
	void percpu_write_u##w(void PERCPU *h, uint##w##_t v);                 \
	uint##w##_t percpu_read_u##w(void PERCPU *h);                          \
	uint##w##_t percpu_sum_u##w(void PERCPU *h);                           \
	uint##w##_t percpu_xchg_u##w(void PERCPU *h, uint##w##_t v);           \
	uint##w##_t percpu_add_return_u##w(void PERCPU *h, uint##w##_t v);     \
	uint##w##_t percpu_cmpxchg_u##w(void PERCPU *h, uint##w##_t expected,  \
					uint##w##_t desired);                  \
	bool percpu_try_cmpxchg_u##w(void PERCPU *h, uint##w##_t *expected,    \
				     uint##w##_t desired);

PERCPU__TWINS(8)
PERCPU__TWINS(16)
PERCPU__TWINS(32)
PERCPU__TWINS(64)
#undef PERCPU__TWINS

/* The object of slot @slot, of this thread's slot, and of the shared slot. */
void *percpu_ptr_raw(void PERCPU *h, unsigned slot);
void *percpu_this_ptr_raw(void PERCPU *h);
void *percpu_shared_ptr_raw(void PERCPU *h);

/*
 * The object on which this thread may use atomics, and which no section ever
 * stores to: the shared slot's, or under the policy atomic its CPU's. For the
 * end of a section of one's own: see section.h.
 */
void *percpu_atomic_ptr_raw(void PERCPU *h);

PERCPU__DECLS_END
#endif
