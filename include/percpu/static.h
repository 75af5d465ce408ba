/* SPDX-License-Identifier: MIT */
#ifndef PERCPU_STATIC_H
#define PERCPU_STATIC_H
/*
 * static.h: per-CPU variables that a program or a plug-in has from its start.
 *
 *   static PERCPU_DEFINE(uint64_t, hits);
 *   PERCPU_DEFINE(struct limits, limits) = { .low = 3, .high = 7 };
 *
 *   percpu_inc(percpu_var(hits));
 *   percpu_add(&percpu_var(limits)->high, 2);
 *
 * PERCPU_DEFINE(type, name) [= initialiser];
 *      at file scope, in C++ also in a namespace, but not within extern "C":
 *      there a PERCPU_DECLARE before it gives it C's linkage. Static or an
 *      attribute may stand before it, as with others. Every unit starts as the
 *      initialiser says, a constant one, the shared slot as zero: a sum starts
 *      as percpu_nr_slots() times the initialiser. @type may be an array type,
 *      as int[4], and takes its own alignment, at most 4096; in C++ it is
 *      trivially copyable, and clang++ wants "= {}" after a struct that has no
 *      other initialiser. (PERCPU_CHECK, in C, has no pointers to slots of
 *      arrays: an array in a struct.)
 * PERCPU_DEFINE_CACHELINE(type, name) [= initialiser];
 *      the same on cache lines of its own.
 * PERCPU_DECLARE(type, name);
 *      of what another file or library defines, for a header. Between C and
 *      C++ it is in extern "C", as a function would be.
 * percpu_var(name)
 *      the handle, @type PERCPU *, for ops.h, the same each time; of an array,
 *      &(*percpu_var(name))[i] is the handle of an element. It is not
 *      percpu_free()'s to give back.
 *
 * Errors: where memory is short when the object is loaded, percpu_var() is
 * NULL, errno ENOMEM, and stays so; nothing aborts. A plug-in that must know
 * asks for each of its variables once, as it does with percpu_alloc().
 * Context: percpu_var() anywhere, in signal handlers and forked children too,
 * once the object's constructors run; until then from ordinary code. Variables
 * are there before constructors without a priority and C++'s objects, also
 * where other objects' constructors use them first; at dlclose they go after
 * destructors. At exit they never go: threads that still run may use them; but
 * those of a plug-in that a library's constructor loads before main() starts go
 * with its destructors, and so do those of a library without SONAME that is
 * needed by its bare name, beside one of that name that is needed by a path.
 * In a namespace of dlmopen()'s they never go. As any variable, one that two
 * objects define where one sees the other's (RTLD_GLOBAL, -rdynamic) is one: as
 * the first says that is loaded, and gone with the last. Of another size or
 * alignment it is a mistake of the program's: a message, abort.
 * percpu_setup() comes too late in main(), since the variables have latched
 * the policy: call it in a constructor of priority 101, or use the environment.
 * Which library: handles, variables, counters, references and all else belong
 * to one copy of the library, and only it may use them. A program that is
 * linked with the shared library has that one, and so have its plug-ins, unless
 * they have the static one and hide it. A program that has the static one has
 * it for itself: a plug-in has the shared library or its own static one then, a
 * second copy, and each works by itself. Neither sees the other's policy and
 * bounds: an add to what the other made is not exact, or faults, and
 * percpu_free() of it is named. To have one there too the program exports all
 * of it, -rdynamic -Wl,--whole-archive libpercpu.a -Wl,--no-whole-archive; with
 * -rdynamic alone it exports some, and who uses more gets parts of two.
 * Ordering: none.
 * Cost: one load that is never written again, and a branch.
 * Source: Linux, DEFINE_PER_CPU().
 */
#include <percpu/base.h>

PERCPU__DECLS_BEGIN

/* One per variable, in the object that defines it. */
struct percpu__static {
	void *handle; /* the T PERCPU * that percpu_var() reads */
	const void *image;
	size_t image_size;
	size_t size; /* and alignment, for percpu_alloc() */
	size_t align;
	const char *name;
	struct percpu__static *next; /* of the library's list */
	unsigned settled; /* loaded, or known to fail: nothing more is tried */
	unsigned listed;
	unsigned shared_too; /* the shared slot starts as the image, too */
};

void percpu__statics_load(struct percpu__static *v);
void percpu__statics_unload(struct percpu__static *v);
void PERCPU *percpu__statics_late(struct percpu__static *v);

PERCPU__DECLS_END

/*
 * "static" before the macro falls on its first declaration, "= ..." behind it
 * on the last: first are the handle and the function for who comes too early,
 * both with the variable's linkage, last is the image.
 */
#define PERCPU__STATIC_FIRST(type, name)                                       \
	__typeof__(type) PERCPU *name##_percpu_handle,                         \
		*name##_percpu_late(void);

#define PERCPU__STATIC_RECORD(type, name, image, bytes, alignment)             \
	{                                                                      \
		&name##_percpu_handle, &image, sizeof(type), bytes, alignment, \
			#name, NULL, 0, 0, 0                                   \
	}

#define PERCPU__STATIC_FUNCTIONS(type, name, record)                           \
	__attribute__((unused)) __typeof__(type) PERCPU *name##_percpu_late(   \
		void)                                                          \
	{                                                                      \
		return PERCPU__CAST(__typeof__(type) PERCPU *,                 \
				    percpu__statics_late(&record));            \
	}                                                                      \
	static void __attribute__((constructor(102))) name##_percpu_load(void) \
	{                                                                      \
		percpu__statics_load(&record);                                 \
	}                                                                      \
	static void __attribute__((destructor(102)))                           \
	name##_percpu_unload(void)                                             \
	{                                                                      \
		percpu__statics_unload(&record);                               \
	}

#ifdef __cplusplus

#if defined(__cpp_constinit)
#define PERCPU__CONSTINIT constinit
#elif defined(__clang__)
#define PERCPU__CONSTINIT __attribute__((require_constant_initialization))
#elif __GNUC__ >= 10
#define PERCPU__CONSTINIT __constinit
#else
#define PERCPU__CONSTINIT
#endif

/* A member can be declared here and defined below, in this file alone. */
#define PERCPU__STATIC(type, name, bytes, alignment)                           \
	PERCPU__STATIC_FIRST(type, name)                                       \
	namespace                                                              \
	{                                                                      \
	struct name##_percpu_static {                                          \
		static_assert(__is_trivially_copyable(__typeof__(type)),       \
			      "per-CPU variables are copied to each unit");    \
		static_assert((alignment) <= 4096,                             \
			      "per-CPU variables align to 4096 at most");      \
		static __typeof__(type) image;                                 \
		static struct percpu__static record;                           \
	};                                                                     \
	}                                                                      \
	struct percpu__static name##_percpu_static::record =                   \
		PERCPU__STATIC_RECORD(type, name, name##_percpu_static::image, \
				      bytes, alignment);                       \
	PERCPU__STATIC_FUNCTIONS(type, name, name##_percpu_static::record)     \
	PERCPU__CONSTINIT __typeof__(type) name##_percpu_static::image

#define PERCPU__STATIC_ALIGN(type) alignof(__typeof__(type))

#else

#define PERCPU__STATIC(type, name, bytes, alignment)                           \
	PERCPU__STATIC_FIRST(type, name)                                       \
	_Static_assert((alignment) <= 4096,                                    \
		       "per-CPU variables align to 4096 at most");             \
	static const __typeof__(type) name##_percpu_image;                     \
	static struct percpu__static name##_percpu_record =                    \
		PERCPU__STATIC_RECORD(type, name, name##_percpu_image, bytes,  \
				      alignment);                              \
	PERCPU__STATIC_FUNCTIONS(type, name, name##_percpu_record)             \
	static const __typeof__(type) name##_percpu_image

#define PERCPU__STATIC_ALIGN(type) _Alignof(type)

#endif

#define PERCPU__STATIC_LINES(n)                                                \
	(((n) + PERCPU_LINE - 1) / PERCPU_LINE * PERCPU_LINE)

#define PERCPU_DEFINE(type, name)                                              \
	PERCPU__STATIC(type, name, sizeof(type), PERCPU__STATIC_ALIGN(type))
#define PERCPU_DEFINE_CACHELINE(type, name)                                    \
	PERCPU__STATIC(type, name, PERCPU__STATIC_LINES(sizeof(type)),         \
		       PERCPU__STATIC_LINES(PERCPU__STATIC_ALIGN(type)))

#define PERCPU_DECLARE(type, name)                                             \
	extern __typeof__(type) PERCPU *name##_percpu_handle,                  \
		*name##_percpu_late(void)

/* Who sees the handle sees what the library published before it. */
#define percpu_var(name)                                                       \
	__extension__({                                                        \
		__typeof__(name##_percpu_handle) percpu__var_ =                \
			__atomic_load_n(&name##_percpu_handle,                 \
					__ATOMIC_ACQUIRE);                     \
		__builtin_expect(percpu__var_ != NULL, 1) ?                    \
			percpu__var_ :                                         \
			name##_percpu_late();                                  \
	})

#endif
