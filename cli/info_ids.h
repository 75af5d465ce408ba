/* SPDX-License-Identifier: MIT */
#ifndef CLI_INFO_IDS_H
#define CLI_INFO_IDS_H
/*
 * info_ids.h: sets of ids as the kernel lists them, "0-3,7,900-1023". A set is
 * its ranges: no table is indexed by an id, so any id is as good as another.
 */
#include <stdbool.h>
#include <stddef.h>

struct ids_range {
	unsigned first;
	unsigned last;
};

struct ids {
	bool known;
	size_t count;		  /* of ranges */
	struct ids_range *ranges; /* ascending, with a gap between each two */
};

/* The set that @list names; not known if @list is NULL or no such list. */
struct ids ids_parse(const char *list);

/* Add ids above all that @s has; @s becomes known. */
void ids_append(struct ids *s, unsigned first, unsigned last);

/* The ids of @a that are not in @b; not known if one of them is not. */
struct ids ids_without(const struct ids *a, const struct ids *b);

unsigned long ids_total(const struct ids *s);

/* As the kernel would list it; "none", or NULL if @s is not known. To free. */
char *ids_text(const struct ids *s);

#endif
