/* SPDX-License-Identifier: MIT */
/*
 * stress_ops.c: every operation on every field. Compiled twice: as
 * programs are, and as stress_op_shared, where they come from
 * percpu/arch/shared.h.
 */
#include "stress.h"

#ifndef STRESS_OP
#define STRESS_OP stress_op
#endif

/* Until nobody came in between: on whichever slot, what was read is there. */
#define BY_CMPXCHG(field, w)                                                   \
	do {                                                                   \
		uint##w##_t old = percpu_read(&h->field);                      \
                                                                               \
		while (!percpu_try_cmpxchg(                                    \
			&h->field, &old, (uint##w##_t)(old + (uint##w##_t)v))) \
			;                                                      \
	} while (0)

/* Half of the operations change the sum by a constant, for immediates. */
#define ON_FIELD(field, w)                                                     \
	do {                                                                   \
		switch (op) {                                                  \
		case 0: percpu_add(&h->field, v); break;                       \
		case 1: percpu_sub(&h->field, v); break;                       \
		case 2: percpu_inc(&h->field); break;                          \
		case 3: percpu_dec(&h->field); break;                          \
		case 4: percpu_add(&h->field, -77); break;                     \
		case 5: percpu_add_u##w(&h->field, (uint##w##_t)v); break;     \
		case 6: percpu_sub_u##w(&h->field, (uint##w##_t)v); break;     \
		case 7: percpu_add_return(&h->field, v); break;                \
		case 8:                                                        \
			percpu_add_return_u##w(&h->field, (uint##w##_t)v);     \
			break;                                                 \
		case 9: BY_CMPXCHG(field, w); break;                           \
		case 10:                                                       \
			percpu_or(&h->field, 0);                               \
			percpu_and(&h->field, -1);                             \
			percpu_xor(&h->field, 0);                              \
			break;                                                 \
		default:                                                       \
			percpu_inc_u##w(&h->field);                            \
			percpu_inc_u##w(&h->field);                            \
			percpu_dec_u##w(&h->field);                            \
		}                                                              \
	} while (0)

enum { OPS = 12 };

static uint64_t change(unsigned op, int64_t v)
{
	const uint64_t changes[OPS] = {
		(uint64_t)v,
		0 - (uint64_t)v,
		1,
		0 - 1ull,
		0 - 77ull,
		(uint64_t)v,
		0 - (uint64_t)v,
		(uint64_t)v,
		(uint64_t)v,
		(uint64_t)v,
		0,
		1,
	};

	return changes[op];
}

static void one(struct stress_object PERCPU *h, unsigned field, unsigned op,
		int64_t v)
{
	switch (field) {
	case 0: ON_FIELD(byte, 8); break;
	case 1: ON_FIELD(two, 16); break;
	case 2: ON_FIELD(four, 32); break;
	case 3: ON_FIELD(eight, 64); break;
	case 4: ON_FIELD(late_four, 32); break;
	case 5: ON_FIELD(late_two, 16); break;
	case 6: ON_FIELD(odd, 8); break;
	default: ON_FIELD(last, 64);
	}
}

/*
 * A section takes a nanosecond or two, and few interrupts fall into it: make
 * it wait for memory, for its constants or for the slot.
 */
static void cool(const void *line)
{
#if defined(__x86_64__)
	__builtin_ia32_clflush(line);
#else
	(void)line;
#endif
}

void STRESS_OP(struct stress_object PERCPU *h, uint64_t PERCPU *own,
	       uint64_t random, uint64_t *added)
{
	unsigned field = random % STRESS_FIELDS;
	unsigned op = (unsigned)(random / STRESS_FIELDS % OPS);
	/* Few bits or many, of either sign. */
	int64_t v = (int64_t)random >> (random >> 6) % 56;

	for (int i = 0; i < STRESS_BURST; i++) {
		one(h, field, op, v);
		added[field] += change(op, v);
	}
	for (int i = 0; i < STRESS_BURST; i++)
		percpu_inc(&h->ops);
	for (int i = 0; i < STRESS_BURST; i++) {
		cool(i % 2 == 0 ? (const void *)&percpu__rt :
				  (const void *)percpu_this_ptr(own));
		percpu_inc(own);
	}
}
