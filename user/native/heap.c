/* SPDX-License-Identifier: MIT */
/* heap.c - sbrk() for native programs: the memory that the kernel has given behind the image. The C library calls it
 * with its lock held. */
#include <errno.h>
#include <unistd.h>

#include "runtime.h"

void *sbrk(ptrdiff_t change)
{
    static char *at;
    const struct native_calls *c = NATIVE_CALLS;
    if (!at)
        at = c->heap;
    if (change > 0 ? change > c->end - at : -change > at - c->heap) {
        errno = ENOMEM;
        return (void *)-1;
    }
    at += change;
    return at - change;
}
