/* SPDX-License-Identifier: MIT */
#ifndef TESTS_COHERENCE_SECTION_MODEL_H
#define TESTS_COHERENCE_SECTION_MODEL_H
/*
 * section_model.h: what src/section.h chooses for the model: the sections of
 * section_x86_64.h as functions in C, of twin_library.c.
 */
#define PERCPU__HAVE_SECTIONS 1

#define PERCPU__MODEL_SECTION(op, bytes, bits)                                 \
	enum percpu__ran percpu__section_##op##_##bytes(                       \
		struct percpu__section s, uint##bits##_t v);

#define PERCPU__MODEL_SECTIONS(op)                                             \
	PERCPU__MODEL_SECTION(op, 1, 8)                                        \
	PERCPU__MODEL_SECTION(op, 2, 16)                                       \
	PERCPU__MODEL_SECTION(op, 4, 32)                                       \
	PERCPU__MODEL_SECTION(op, 8, 64)

PERCPU__MODEL_SECTIONS(add)
PERCPU__MODEL_SECTIONS(write)

enum percpu__ran percpu__section_pop(struct percpu__section s,
				     const struct percpu__caches *c,
				     uint64_t at, uint64_t *out);
enum percpu__ran percpu__section_push(struct percpu__section s,
				      const struct percpu__caches *c,
				      uint64_t at, uint64_t limit,
				      uint64_t item);

#endif
