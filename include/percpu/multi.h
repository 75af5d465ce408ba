/* SPDX-License-Identifier: MIT */
#ifndef PERCPU_MULTI_H
#define PERCPU_MULTI_H
/*
 * multi.h: several adds at once, for little more than the price of one.
 *
 *   percpu_add_all(p1, v1, p2, v2, ...)   *this_slot(p1) += v1 and so on
 *   percpu_add_block(p, v0, v1, ...)      this_slot(p)[0] += v0 and so on
 *
 * percpu_add_all takes 1 to 8 pairs, each as percpu_add() of ops.h takes it:
 * fields of one object or of many, of any width. Each add happens exactly
 * once. They are not a snapshot: somebody who looks meanwhile, a signal handler
 * too, may see some of them done, and after an interruption the rest may be
 * done on another CPU.
 *
 * percpu_add_block takes 2, 4 or 8 adjacent fields of 64 bits, the first of
 * which is *@p; @p is a multiple of 16, 32 or 64 bytes, as _Alignas on the
 * first field, or a struct of its own in percpu_alloc(), has it. Elsewhere it
 * is a misuse, which most processors answer with SIGSEGV. The fields move
 * together: all adds in one slot, by one instruction that nothing interrupts,
 * so a handler and every other thread on that CPU sees all of them or none.
 * That holds where percpu_backend() says PERCPU_MODE_RSEQ, for as many bytes
 * as the processor stores at once: 64 with AVX-512, 32 with AVX2, else 16; on
 * AArch64 16 with FEAT_LSE2 (Armv8.4), else one field. A larger block moves by
 * parts of that size, each exactly once. In the other modes, and in the shared
 * slot, each field moves by itself. Another CPU, such as one that makes a sum,
 * may always see some fields of a part before others; each field by itself is
 * whole.
 *
 * Each argument is evaluated once. Any other count does not compile. Errors,
 * contexts and ordering are those of percpu_add().
 * Cost: a block that is added to again at once waits for its own store, longer
 * than a single field does. Constants, and values that lie in memory, are
 * better for it than values in registers, which must first be brought together.
 * On x86-64 a block of 4 or 8 changes the vector registers, as a call does.
 * Source: what several this_cpu_add() in a row are in Linux, which keeps an
 * interrupt away from them where it must.
 */
#include <percpu/ops.h>

PERCPU__DECLS_BEGIN

/* One add: *this_slot(h) += v, of 1, 2, 4 or 8 bytes. */
struct percpu_addend {
	void PERCPU *h;
	uint64_t v; /* modulo the width */
	size_t size;
};

/* percpu_add_all for other languages: @list[0] to @list[n - 1], any @n. */
void percpu_add_all_list(const struct percpu_addend *list, size_t n);

/*
 * percpu_add_block for other languages: @v[0] to @v[n - 1] to as many fields
 * from @h. An @n other than 2, 4 and 8 is taken field by field.
 */
void percpu_add_block_u64(void PERCPU *h, const uint64_t *v, size_t n);

/* What is left of @list after @done of its @n adds; @done may be -1 for 0. */
PERCPU__INLINE void percpu__add_rest(const struct percpu_addend *list, size_t n,
				     int32_t done)
{
	size_t k = done < 0 ? 0 : (size_t)done;

	percpu_add_all_list(list + k, n - k);
}

/* The same of a block's values @v after @done of its @n fields. */
PERCPU__INLINE void percpu__block_rest(void PERCPU *h, const uint64_t *v,
				       size_t n, unsigned done)
{
	percpu_add_block_u64((void PERCPU *)((uintptr_t)h + 8u * done),
			     v + done, n - done);
}

PERCPU__INLINE void percpu__block_look(void PERCPU *h, size_t n)
{
	for (size_t i = 0; i < n; i++)
		percpu__asan_store((void PERCPU *)((uintptr_t)h + 8 * i), 8);
}

PERCPU__INLINE void percpu__block_2(void PERCPU *h, uint64_t v0, uint64_t v1)
{
	unsigned done;

	percpu__block_look(h, 2);
	done = percpu__try_block_2(h, v0, v1);
	if (__builtin_expect(done != 2, 0)) {
		const uint64_t v[] = { v0, v1 };

		percpu__block_rest(h, v, 2, done);
	}
}

PERCPU__INLINE void percpu__block_4(void PERCPU *h, uint64_t v0, uint64_t v1,
				    uint64_t v2, uint64_t v3)
{
	unsigned done;

	percpu__block_look(h, 4);
	done = percpu__try_block_4(h, v0, v1, v2, v3);
	if (__builtin_expect(done != 4, 0)) {
		const uint64_t v[] = { v0, v1, v2, v3 };

		percpu__block_rest(h, v, 4, done);
	}
}

PERCPU__INLINE void percpu__block_8(void PERCPU *h, uint64_t v0, uint64_t v1,
				    uint64_t v2, uint64_t v3, uint64_t v4,
				    uint64_t v5, uint64_t v6, uint64_t v7)
{
	unsigned done;

	percpu__block_look(h, 8);
	done = percpu__try_block_8(h, v0, v1, v2, v3, v4, v5, v6, v7);
	if (__builtin_expect(done != 8, 0)) {
		const uint64_t v[] = { v0, v1, v2, v3, v4, v5, v6, v7 };

		percpu__block_rest(h, v, 8, done);
	}
}

PERCPU__DECLS_END

#ifdef __cplusplus
#include <percpu/multi_cxx.h>
#else
#include <percpu/multi_c.h>
#endif

#endif
