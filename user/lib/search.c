/* SPDX-License-Identifier: MIT */
/* search.c - of POSIX' <search.h> what picolibc lacks: linear search and doubly linked lists. */
#include <search.h>
#include <string.h>

void *lfind(const void *key, const void *base, size_t *n, size_t width, int (*compare)(const void *, const void *))
{
    for (size_t i = 0; i < *n; i++) {
        const char *at = (const char *)base + i * width;
        if (!compare(key, at))
            return (void *)at;
    }
    return NULL;
}

void *lsearch(const void *key, void *base, size_t *n, size_t width, int (*compare)(const void *, const void *))
{
    void *found = lfind(key, base, n, width, compare);
    return found ? found : memcpy((char *)base + (*n)++ * width, key, width);
}

struct element {
    struct element *next, *previous;
};

/* `before` NULL: the element begins a list. */
void insque(void *element, void *before)
{
    struct element *e = element, *b = before;
    e->previous = b;
    e->next = b ? b->next : NULL;
    if (b)
        b->next = e;
    if (e->next)
        e->next->previous = e;
}

void remque(void *element)
{
    const struct element *e = element;
    if (e->next)
        e->next->previous = e->previous;
    if (e->previous)
        e->previous->next = e->next;
}
