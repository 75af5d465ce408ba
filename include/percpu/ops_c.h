/* SPDX-License-Identifier: MIT */
#ifndef PERCPU_OPS_C_H
#define PERCPU_OPS_C_H
/*
 * ops_c.h: the macros of ops.h for C. Include ops.h.
 */

/* The type of *p, without qualifiers and address space; p is not evaluated. */
#define PERCPU__TYPE(p) __typeof__(((void)0, *(p)))

/* The handle as the twins take it. */
#define PERCPU__ERASE(p) ((void PERCPU *)(uintptr_t)(p))

#if defined(PERCPU_CHECK) && defined(__clang__)
/* Of an array, the address space cannot be taken away: an incomplete type. */
#define PERCPU__PTR_TYPE(p)                                                    \
	__typeof__(_Generic((p), void PERCPU *: (void *)0,                     \
			    default: __builtin_choose_expr(                    \
				     __builtin_types_compatible_p(             \
					     __typeof__(*(p)),                 \
					     PERCPU__TYPE(p)),                 \
				     (PERCPU__TYPE(p) *)0,                     \
				     (struct percpu__array_in_a_struct *)0)))
#else
#define PERCPU__PTR_TYPE(p) __typeof__(1 ? (p) : (p))
#endif

/* sizeof(*p); does not compile for a width that no operation has. */
#define PERCPU__SIZE(p)                                                        \
	(sizeof(*(p)) +                                                        \
	 0 * sizeof(struct {                                                   \
		 _Static_assert(sizeof(*(p)) == 1 || sizeof(*(p)) == 2 ||      \
					sizeof(*(p)) == 4 ||                   \
					sizeof(*(p)) == 8,                     \
				"per-CPU operations take 1, 2, 4 or 8 bytes"); \
		 char c;                                                       \
	 }))

/* The same for arithmetic: *p must be an integer, and no bool. */
#define PERCPU__INT_SIZE(p)                                                    \
	(PERCPU__SIZE(p) +                                                     \
	 0 * sizeof(struct {                                                   \
		 _Static_assert((PERCPU__TYPE(p))0.5 == 0,                     \
				"per-CPU arithmetic takes integers");          \
		 char c;                                                       \
	 }))

#define percpu_add(p, v)                                                       \
	percpu__add(PERCPU__ERASE(p), (uint64_t)(PERCPU__TYPE(p))(v),          \
		    PERCPU__INT_SIZE(p))
#define percpu_sub(p, v)                                                       \
	percpu__add(PERCPU__ERASE(p), 0 - (uint64_t)(PERCPU__TYPE(p))(v),      \
		    PERCPU__INT_SIZE(p))
#define percpu_and(p, v)                                                       \
	percpu__and(PERCPU__ERASE(p), (uint64_t)(PERCPU__TYPE(p))(v),          \
		    PERCPU__INT_SIZE(p))
#define percpu_or(p, v)                                                        \
	percpu__or(PERCPU__ERASE(p), (uint64_t)(PERCPU__TYPE(p))(v),           \
		   PERCPU__INT_SIZE(p))
#define percpu_xor(p, v)                                                       \
	percpu__xor(PERCPU__ERASE(p), (uint64_t)(PERCPU__TYPE(p))(v),          \
		    PERCPU__INT_SIZE(p))
#define percpu_inc(p) percpu_add(p, 1)
#define percpu_dec(p) percpu_sub(p, 1)

/* A value of *p's type in memory of its own. */
#define PERCPU__VALUE(p, v) (&(PERCPU__TYPE(p)){ (PERCPU__TYPE(p))(v) })

#define percpu_write(p, v)                                                     \
	percpu__write(PERCPU__ERASE(p), PERCPU__VALUE(p, v), PERCPU__SIZE(p))
#define percpu_read(p)                                                         \
	((void)0, *(PERCPU__TYPE(p) *)percpu__load(                            \
			  &(PERCPU__TYPE(p)){ 0 },                             \
			  percpu__this(PERCPU__ERASE(p)), PERCPU__SIZE(p)))
#define percpu_sum(p)                                                          \
	((PERCPU__TYPE(p))percpu__sum(PERCPU__ERASE(p), PERCPU__INT_SIZE(p)))

/*
 * Statements that end with an assignment: whoever does not want the result is
 * not warned.
 */
#define percpu_add_return(p, v)                                                \
	__extension__({                                                        \
		PERCPU__TYPE(p) percpu__is __attribute__((unused));            \
		percpu__is = (PERCPU__TYPE(p))percpu__add_return(              \
			PERCPU__ERASE(p), (uint64_t)(PERCPU__TYPE(p))(v),      \
			PERCPU__INT_SIZE(p));                                  \
	})
#define percpu_xchg(p, v)                                                      \
	__extension__({                                                        \
		PERCPU__TYPE(p) percpu__was __attribute__((unused));           \
		percpu__was = *(PERCPU__TYPE(p) *)percpu__xchg(                \
			PERCPU__VALUE(p, 0), PERCPU__ERASE(p),                 \
			PERCPU__VALUE(p, v), PERCPU__SIZE(p));                 \
	})
#define percpu_cmpxchg(p, old, new)                                            \
	__extension__({                                                        \
		PERCPU__TYPE(p) percpu__was __attribute__((unused));           \
		percpu__was = *(PERCPU__TYPE(p) *)percpu__cmpxchg(             \
			PERCPU__VALUE(p, 0), PERCPU__ERASE(p),                 \
			PERCPU__VALUE(p, old), PERCPU__VALUE(p, new),          \
			PERCPU__SIZE(p));                                      \
	})
/* The pointers of a conditional must agree: @old is a T *. */
#define percpu_try_cmpxchg(p, old, new)                                        \
	percpu__try_cmpxchg(PERCPU__ERASE(p),                                  \
			    1 ? (old) : (PERCPU__TYPE(p) *)0,                  \
			    PERCPU__VALUE(p, new), PERCPU__SIZE(p))

#define percpu_ptr(h, slot)                                                    \
	((PERCPU__PTR_TYPE(h))percpu__at(PERCPU__ERASE(h), (unsigned)(slot)))
#define percpu_this_ptr(h) ((PERCPU__PTR_TYPE(h))percpu__this(PERCPU__ERASE(h)))
#define percpu_shared_ptr(h)                                                   \
	((PERCPU__PTR_TYPE(h))percpu__at(PERCPU__ERASE(h), percpu__rt.nr_slots))

#define percpu_for_each_slot(ptr, h)                                           \
	PERCPU__EACH(ptr, PERCPU__ERASE(h), PERCPU__PTR_TYPE(h),               \
		     PERCPU__PASTE(percpu__walk_, __LINE__))

#endif
