/* SPDX-License-Identifier: MIT */
#ifndef PERCPU_OPS_CXX_H
#define PERCPU_OPS_CXX_H
/*
 * ops_cxx.h: the operations of ops.h as C++ templates. Include ops.h.
 */
#include <type_traits>

PERCPU__QUIET_BEGIN

namespace percpu_detail
{

template <class T> using plain = typename std::remove_cv<T>::type;

template <class T> inline void PERCPU *erase(T PERCPU *p)
{
	return (void PERCPU *)(uintptr_t)p;
}

template <class T> constexpr std::size_t size()
{
	static_assert(sizeof(T) == 1 || sizeof(T) == 2 || sizeof(T) == 4 ||
			      sizeof(T) == 8,
		      "per-CPU operations take 1, 2, 4 or 8 bytes");
	return sizeof(T);
}

template <class T> constexpr std::size_t int_size()
{
	static_assert((std::is_integral<T>::value || std::is_enum<T>::value) &&
			      !std::is_same<plain<T>, bool>::value,
		      "per-CPU arithmetic takes integers");
	return size<T>();
}

} // namespace percpu_detail

template <class T, class V> inline void percpu_add(T PERCPU *p, V v)
{
	percpu__add(percpu_detail::erase(p),
		    (uint64_t)(percpu_detail::plain<T>)v,
		    percpu_detail::int_size<T>());
}

template <class T, class V> inline void percpu_sub(T PERCPU *p, V v)
{
	percpu__add(percpu_detail::erase(p),
		    0 - (uint64_t)(percpu_detail::plain<T>)v,
		    percpu_detail::int_size<T>());
}

template <class T, class V> inline void percpu_and(T PERCPU *p, V v)
{
	percpu__and(percpu_detail::erase(p),
		    (uint64_t)(percpu_detail::plain<T>)v,
		    percpu_detail::int_size<T>());
}

template <class T, class V> inline void percpu_or(T PERCPU *p, V v)
{
	percpu__or(percpu_detail::erase(p),
		   (uint64_t)(percpu_detail::plain<T>)v,
		   percpu_detail::int_size<T>());
}

template <class T, class V> inline void percpu_xor(T PERCPU *p, V v)
{
	percpu__xor(percpu_detail::erase(p),
		    (uint64_t)(percpu_detail::plain<T>)v,
		    percpu_detail::int_size<T>());
}

template <class T> inline void percpu_inc(T PERCPU *p)
{
	percpu_add(p, 1);
}

template <class T> inline void percpu_dec(T PERCPU *p)
{
	percpu_sub(p, 1);
}

template <class T, class V> inline void percpu_write(T PERCPU *p, V v)
{
	const percpu_detail::plain<T> t = (percpu_detail::plain<T>)v;

	percpu__write(percpu_detail::erase(p), &t, percpu_detail::size<T>());
}

template <class T> inline percpu_detail::plain<T> percpu_read(T PERCPU *p)
{
	percpu_detail::plain<T> t;

	percpu__load(&t, percpu__this(percpu_detail::erase(p)),
		     percpu_detail::size<T>());
	return t;
}

template <class T> inline percpu_detail::plain<T> percpu_sum(T PERCPU *p)
{
	return (percpu_detail::plain<T>)percpu__sum(
		percpu_detail::erase(p), percpu_detail::int_size<T>());
}

template <class T, class V>
inline percpu_detail::plain<T> percpu_add_return(T PERCPU *p, V v)
{
	return (percpu_detail::plain<T>)percpu__add_return(
		percpu_detail::erase(p), (uint64_t)(percpu_detail::plain<T>)v,
		percpu_detail::int_size<T>());
}

template <class T, class V>
inline percpu_detail::plain<T> percpu_xchg(T PERCPU *p, V v)
{
	const percpu_detail::plain<T> t = (percpu_detail::plain<T>)v;
	percpu_detail::plain<T> was;

	percpu__xchg(&was, percpu_detail::erase(p), &t,
		     percpu_detail::size<T>());
	return was;
}

template <class T, class U, class V>
inline percpu_detail::plain<T> percpu_cmpxchg(T PERCPU *p, U expected,
					      V desired)
{
	const percpu_detail::plain<T> want = (percpu_detail::plain<T>)expected;
	const percpu_detail::plain<T> t = (percpu_detail::plain<T>)desired;
	percpu_detail::plain<T> was;

	percpu__cmpxchg(&was, percpu_detail::erase(p), &want, &t,
			percpu_detail::size<T>());
	return was;
}

template <class T, class V>
inline bool percpu_try_cmpxchg(T PERCPU *p, percpu_detail::plain<T> *expected,
			       V desired)
{
	const percpu_detail::plain<T> t = (percpu_detail::plain<T>)desired;

	return percpu__try_cmpxchg(percpu_detail::erase(p), expected, &t,
				   percpu_detail::size<T>());
}

template <class T> inline T *percpu_ptr(T PERCPU *h, unsigned slot)
{
	return (T *)percpu__at(percpu_detail::erase(h), slot);
}

template <class T> inline T *percpu_this_ptr(T PERCPU *h)
{
	return (T *)percpu__this(percpu_detail::erase(h));
}

template <class T> inline T *percpu_shared_ptr(T PERCPU *h)
{
	return (T *)percpu__at(percpu_detail::erase(h), percpu__rt.nr_slots);
}

#define percpu_for_each_slot(ptr, h)                                           \
	PERCPU__EACH(ptr, percpu_detail::erase(h), decltype(percpu_ptr(h, 0)), \
		     PERCPU__PASTE(percpu__walk_, __LINE__))

PERCPU__QUIET_END
#endif
