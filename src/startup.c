/* SPDX-License-Identifier: MIT */
/*
 * startup.c: the objects a program starts with, by the loader's list.
 *
 *   list     program  preloaded  liba  libc  libb | plug-in  libd
 *   needs    a, c                b, c                d
 *                                            last ^
 *
 * 1. The loader (glibc's, musl's) lists objects in the order in which it loads
 *    them: what is there before main() comes first, and never leaves. So it is
 *    the first so many of the list, whenever one looks.
 * 2. The program is the first. It loads what those need that it has listed, so
 *    the end is the farthest that any object before the end needs; what is
 *    preloaded comes before all needed ones, and any program needs libc.
 * 3. A need that is a path means the object that is listed by it. Else of two
 *    objects of one name the first is meant: the loader does not load a second
 *    for a need. But it does where the first came by a path, and has no other
 *    name: then that second one is not seen, if it is the last.
 *
 * A program without a loader is a list of itself.
 *
 * Rejected: to tell exit from dlclose by a handler alone. One that a library's
 * constructor registers before main() runs after the loader's own, which runs
 * destructors: it comes too late.
 */
#include "startup.h"

#include <link.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* How many there are; 0: nobody has counted yet. */
static unsigned counted;

static const ElfW(Dyn) * dynamic(const struct dl_phdr_info *o)
{
	for (unsigned i = 0; i < o->dlpi_phnum; i++)
		if (o->dlpi_phdr[i].p_type == PT_DYNAMIC)
			return (const void *)(o->dlpi_addr +
					      o->dlpi_phdr[i].p_vaddr);
	return NULL;
}

/* An object's strings. Some loaders leave the address as in the file. */
static const char *strings(const struct dl_phdr_info *o, const ElfW(Dyn) * d)
{
	for (; d->d_tag != DT_NULL; d++)
		if (d->d_tag == DT_STRTAB)
			return (const char *)(d->d_un.d_ptr < o->dlpi_addr ?
						      o->dlpi_addr +
							      d->d_un.d_ptr :
						      d->d_un.d_ptr);
	return NULL;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash != NULL ? slash + 1 : path;
}

/* Where the loader puts something in for $ORIGIN and kin, by what follows. */
static bool has_path(const struct dl_phdr_info *o, const char *path)
{
	const char *token = strrchr(path, '$');
	const char *known = token != NULL ? strchr(token, '/') : path;
	size_t all = o->dlpi_name != NULL ? strlen(o->dlpi_name) : 0;
	size_t len = known != NULL ? strlen(known) : 0;

	return len != 0 && len <= all && (token != NULL || len == all) &&
	       strcmp(o->dlpi_name + all - len, known) == 0;
}

static bool is_called(const struct dl_phdr_info *o, const char *name)
{
	const ElfW(Dyn) *d = dynamic(o);
	const char *s = d != NULL ? strings(o, d) : NULL;

	if (o->dlpi_name != NULL && strcmp(base_name(o->dlpi_name), name) == 0)
		return true;
	if (s == NULL)
		return false;
	for (; d->d_tag != DT_NULL; d++)
		if (d->d_tag == DT_SONAME)
			return strcmp(s + d->d_un.d_val, name) == 0;
	return false;
}

static bool covers(const struct dl_phdr_info *o, uintptr_t address)
{
	for (unsigned i = 0; i < o->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &o->dlpi_phdr[i];

		if (p->p_type == PT_LOAD &&
		    address - (o->dlpi_addr + p->p_vaddr) < p->p_memsz)
			return true;
	}
	return false;
}

/* The first object of that path, of that name, or that the address lies in. */
struct search {
	const char *path;
	const char *name;
	uintptr_t address;
	unsigned before;
};

static int search(struct dl_phdr_info *o, size_t size, void *arg)
{
	struct search *s = arg;

	(void)size;
	if (s->path != NULL && has_path(o, s->path))
		return 1;
	if (s->name != NULL && is_called(o, s->name))
		return 1;
	if (s->address != 0 && covers(o, s->address))
		return 1;
	s->before++;
	return 0;
}

struct count {
	unsigned seen;
	unsigned all;
};

static void need(struct count *c, const char *path)
{
	struct search by_path = { .path = path };
	struct search by_name = { .name = base_name(path) };
	struct search *s = &by_path;

	if (by_name.name == path || dl_iterate_phdr(search, s) == 0) {
		s = &by_name;
		if (dl_iterate_phdr(search, s) == 0)
			return;
	}
	if (s->before >= c->all)
		c->all = s->before + 1;
}

static int count(struct dl_phdr_info *o, size_t size, void *arg)
{
	const ElfW(Dyn) *d = dynamic(o);
	const char *s = d != NULL ? strings(o, d) : NULL;
	struct count *c = arg;

	(void)size;
	for (; s != NULL && d->d_tag != DT_NULL; d++)
		if (d->d_tag == DT_NEEDED)
			need(c, s + d->d_un.d_val);
	c->seen++;
	return c->seen >= c->all;
}

bool percpu__startup_has(const void *address)
{
	struct search s = { .address = (uintptr_t)address };
	struct count c = { 0, __atomic_load_n(&counted, __ATOMIC_RELAXED) };

	if (c.all == 0) {
		c.all = 1;
		dl_iterate_phdr(count, &c);
		__atomic_store_n(&counted, c.all, __ATOMIC_RELAXED);
	}
	return dl_iterate_phdr(search, &s) != 0 && s.before < c.all;
}
