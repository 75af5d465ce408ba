/* SPDX-License-Identifier: MIT */
#ifndef TESTS_COHERENCE_SECTION_MODEL_H
#define TESTS_COHERENCE_SECTION_MODEL_H
/*
 * section_model.h: what src/section.h chooses for the model: the sections of
 * section_x86_64.h as functions in C, of twin_library.c.
 */
#define PERCPU__HAVE_SECTIONS 1

#define PERCPU__MODEL_RUN(op, bytes, bits)                                     \
	enum percpu__ran percpu__section_##op##_##bytes(                       \
		struct percpu__section s, uint##bits##_t v);

#define PERCPU__MODEL_RUN_VALUE(op, bytes, bits)                               \
	enum percpu__ran percpu__section_##op##_##bytes(                       \
		struct percpu__section s, uint##bits##_t v,                    \
		uint##bits##_t *out);

#define PERCPU__MODEL_RUNS(bytes, bits)                                        \
	PERCPU__MODEL_RUN(add, bytes, bits)                                    \
	PERCPU__MODEL_RUN(and, bytes, bits)                                    \
	PERCPU__MODEL_RUN(or, bytes, bits)                                     \
	PERCPU__MODEL_RUN(xor, bytes, bits)                                    \
	PERCPU__MODEL_RUN(write, bytes, bits)                                  \
	PERCPU__MODEL_RUN_VALUE(xchg, bytes, bits)                             \
	PERCPU__MODEL_RUN_VALUE(add_return, bytes, bits)                       \
	enum percpu__ran percpu__section_cmpxchg_##bytes(                      \
		struct percpu__section s, uint##bits##_t expected,             \
		uint##bits##_t desired, uint##bits##_t *out);

PERCPU__MODEL_RUNS(1, 8)
PERCPU__MODEL_RUNS(2, 16)
PERCPU__MODEL_RUNS(4, 32)
PERCPU__MODEL_RUNS(8, 64)

enum percpu__ran percpu__section_stack_push(struct percpu__section s,
					    uint64_t capacity, uint64_t item);
enum percpu__ran percpu__section_stack_pop(struct percpu__section s,
					   uint64_t *out);
enum percpu__ran percpu__section_counter_add(struct percpu__section s,
					     uint64_t v, uint64_t reach);
enum percpu__ran
percpu__section_counter_claim(struct percpu__section s,
			      struct percpu__counter_claim *out);
enum percpu__ran percpu__section_gated_push(struct percpu__section s,
					    const uint64_t *capacity,
					    uint64_t item);
enum percpu__ran percpu__section_gated_pop(struct percpu__section s,
					   const uint64_t *floor,
					   uint64_t *out);
enum percpu__ran percpu__section_guarded_add(struct percpu__section s,
					     const struct percpu__guarded *g,
					     uint64_t mask, uint64_t v);
enum percpu__ran percpu__section_block_2(struct percpu__section s,
					 const uint64_t *v);
enum percpu__ran percpu__section_block_4(struct percpu__section s,
					 const uint64_t *v);
enum percpu__ran percpu__section_block_8(struct percpu__section s,
					 const uint64_t *v);

static inline uint32_t percpu__section_bytes(void)
{
	return 64;
}

static inline void percpu__section_clean(void)
{
}

enum percpu__ran percpu__section_pop(struct percpu__section s,
				     const struct percpu__caches *c,
				     uint64_t at, uint64_t *out);
enum percpu__ran percpu__section_push(struct percpu__section s,
				      const struct percpu__caches *c,
				      uint64_t at, uint64_t limit,
				      uint64_t item);

#endif
