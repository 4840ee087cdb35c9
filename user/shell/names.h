/* SPDX-License-Identifier: MIT */
/* names.h - any number of names, in order: of the shell, and of its tools, which are programs of their own. */
#ifndef AMALGAM_SHELL_NAMES_H
#define AMALGAM_SHELL_NAMES_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct names {
    char **name;
    size_t n, room;
};

/* Add a copy of a name. Returns false: no memory; the others stay. */
static inline bool names_add(struct names *to, const char *name)
{
    if (to->n == to->room) {
        size_t room = to->room ? 2 * to->room : 16;
        char **more = realloc(to->name, room * sizeof *more);
        if (!more)
            return false;
        to->name = more;
        to->room = room;
    }
    to->name[to->n] = strdup(name);
    if (!to->name[to->n])
        return false;
    to->n++;
    return true;
}

static inline int names_in_order(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

static inline void names_sort(struct names *of)
{
    if (of->n)
        qsort(of->name, of->n, sizeof *of->name, names_in_order);
}

/* Free all; the struct may be used again. */
static inline void names_free(struct names *of)
{
    while (of->n)
        free(of->name[--of->n]);
    free(of->name);
    *of = (struct names){ 0 };
}

#endif
