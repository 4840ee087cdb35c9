/* SPDX-License-Identifier: MIT */
/* lazy.c - regions of lazy pages for UEs of which not all are members: lazy.h. */
#include "lazy.h"

#include <RCCE.h>

/* Return what all UEs say together. */
static int all(int own, int op)
{
    int result = LAZY_FAILED;
    return RCCE_allreduce((char *)&own, (char *)&result, 1, RCCE_INT, op, RCCE_COMM_WORLD) ? LAZY_FAILED : result;
}

void *lazy_alloc(size_t bytes)
{
    int own = pages_alloc(bytes), least = all(own, RCCE_MIN), offset = all(own, RCCE_MAX);
    void *at = least > LAZY_FAILED && offset >= 0 ? pages_at((size_t)offset, bytes) : NULL;
    if (all(!at, RCCE_MAX) == 0)
        return at;
    if (at)
        pages_free(at, bytes);
    return NULL;
}

void lazy_free(void *at, size_t bytes)
{
    RCCE_barrier(&RCCE_COMM_WORLD);
    pages_free(at, bytes);
}
