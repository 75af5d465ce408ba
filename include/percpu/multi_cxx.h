/* SPDX-License-Identifier: MIT */
#ifndef PERCPU_MULTI_CXX_H
#define PERCPU_MULTI_CXX_H
/*
 * multi_cxx.h: the operations of multi.h as C++ templates. Include multi.h.
 */
PERCPU__QUIET_BEGIN

/* Pair number @k, of type @T, as arch.h wants it for PERCPU__ADD_N. */
#define PERCPU__PAIR(k, T, p, v)                                               \
	constexpr std::size_t percpu__w##k = percpu_detail::int_size<T>();     \
	void PERCPU *const percpu__h##k = percpu_detail::erase(p);             \
	const uint64_t percpu__v##k = (uint64_t)(percpu_detail::plain<T>)v;    \
	percpu__asan_store(percpu__h##k, percpu__w##k);

template <class A, class V> PERCPU__INLINE void percpu_add_all(A PERCPU *a, V v)
{
	percpu_add(a, v);
}

template <class A, class V, class B, class W>
PERCPU__INLINE void percpu_add_all(A PERCPU *a, V v, B PERCPU *b, W w)
{
	PERCPU__PAIR(0, A, a, v)
	PERCPU__PAIR(1, B, b, w)
	PERCPU__ADD_2
}

template <class A, class V, class B, class W, class C, class X>
PERCPU__INLINE void percpu_add_all(A PERCPU *a, V v, B PERCPU *b, W w,
				   C PERCPU *c, X x)
{
	PERCPU__PAIR(0, A, a, v)
	PERCPU__PAIR(1, B, b, w)
	PERCPU__PAIR(2, C, c, x)
	PERCPU__ADD_3
}

template <class A, class V, class B, class W, class C, class X, class D,
	  class Y>
PERCPU__INLINE void percpu_add_all(A PERCPU *a, V v, B PERCPU *b, W w,
				   C PERCPU *c, X x, D PERCPU *d, Y y)
{
	PERCPU__PAIR(0, A, a, v)
	PERCPU__PAIR(1, B, b, w)
	PERCPU__PAIR(2, C, c, x)
	PERCPU__PAIR(3, D, d, y)
	PERCPU__ADD_4
}

#undef PERCPU__PAIR

/* Five to eight pairs, in two sections; clang loses the tag in a pack. */
template <class A, class V0, class B, class V1, class C, class V2, class D,
	  class V3, class E, class V4>
PERCPU__INLINE void percpu_add_all(A PERCPU *a, V0 v0, B PERCPU *b, V1 v1,
				   C PERCPU *c, V2 v2, D PERCPU *d, V3 v3,
				   E PERCPU *e, V4 v4)
{
	percpu_add_all(a, v0, b, v1, c, v2);
	percpu_add_all(d, v3, e, v4);
}

template <class A, class V0, class B, class V1, class C, class V2, class D,
	  class V3, class E, class V4, class F, class V5>
PERCPU__INLINE void percpu_add_all(A PERCPU *a, V0 v0, B PERCPU *b, V1 v1,
				   C PERCPU *c, V2 v2, D PERCPU *d, V3 v3,
				   E PERCPU *e, V4 v4, F PERCPU *f, V5 v5)
{
	percpu_add_all(a, v0, b, v1, c, v2);
	percpu_add_all(d, v3, e, v4, f, v5);
}

template <class A, class V0, class B, class V1, class C, class V2, class D,
	  class V3, class E, class V4, class F, class V5, class G, class V6>
PERCPU__INLINE void percpu_add_all(A PERCPU *a, V0 v0, B PERCPU *b, V1 v1,
				   C PERCPU *c, V2 v2, D PERCPU *d, V3 v3,
				   E PERCPU *e, V4 v4, F PERCPU *f, V5 v5,
				   G PERCPU *g, V6 v6)
{
	percpu_add_all(a, v0, b, v1, c, v2, d, v3);
	percpu_add_all(e, v4, f, v5, g, v6);
}

template <class A, class V0, class B, class V1, class C, class V2, class D,
	  class V3, class E, class V4, class F, class V5, class G, class V6,
	  class H, class V7>
PERCPU__INLINE void percpu_add_all(A PERCPU *a, V0 v0, B PERCPU *b, V1 v1,
				   C PERCPU *c, V2 v2, D PERCPU *d, V3 v3,
				   E PERCPU *e, V4 v4, F PERCPU *f, V5 v5,
				   G PERCPU *g, V6 v6, H PERCPU *h, V7 v7)
{
	percpu_add_all(a, v0, b, v1, c, v2, d, v3);
	percpu_add_all(e, v4, f, v5, g, v6, h, v7);
}

namespace percpu_detail
{

template <class T> PERCPU__INLINE void PERCPU *block(T PERCPU *p)
{
	static_assert(int_size<T>() == 8, "a block is of 64-bit fields");
	return erase(p);
}

template <class T, class V> PERCPU__INLINE uint64_t field(V v)
{
	return (uint64_t)(plain<T>)v;
}

} // namespace percpu_detail

template <class T, class A, class B>
PERCPU__INLINE void percpu_add_block(T PERCPU *p, A a, B b)
{
	using percpu_detail::field;

	percpu__block_2(percpu_detail::block(p), field<T>(a), field<T>(b));
}

template <class T, class A, class B, class C, class D>
PERCPU__INLINE void percpu_add_block(T PERCPU *p, A a, B b, C c, D d)
{
	using percpu_detail::field;

	percpu__block_4(percpu_detail::block(p), field<T>(a), field<T>(b),
			field<T>(c), field<T>(d));
}

template <class T, class A, class B, class C, class D, class E, class F,
	  class G, class H>
PERCPU__INLINE void percpu_add_block(T PERCPU *p, A a, B b, C c, D d, E e, F f,
				     G g, H h)
{
	using percpu_detail::field;

	percpu__block_8(percpu_detail::block(p), field<T>(a), field<T>(b),
			field<T>(c), field<T>(d), field<T>(e), field<T>(f),
			field<T>(g), field<T>(h));
}

PERCPU__QUIET_END
#endif
