/* SPDX-License-Identifier: MIT */
/*
 * heap.c - sbrk(). The heap is a range of addresses behind the image and the first stack, large enough for all memory
 * of the process. It is mapped as far as it is in use. malloc() calls sbrk() with the C library's lock held.
 */
#include <amalgam/calls.h>
#include <errno.h>
#include <unistd.h>

#include "thread.h"

#define PIECE 16384u /* bytes to map at once, if there are as many */

static uintptr_t first, at, mapped, limit;

void heap_begin(uintptr_t start, uintptr_t end)
{
    first = at = mapped = start;
    limit = end;
}

static bool map(uintptr_t n)
{
    if (amalgam_map((void *)mapped, n, AMALGAM_MAP_WRITE) < 0)
        return false;
    mapped += n;
    return true;
}

/* Map the heap at least up to `end`. Returns whether there was memory for it. */
static bool map_up_to(uintptr_t end)
{
    if (end <= mapped)
        return true;
    uintptr_t n = (end - mapped + PAGE - 1) & -(uintptr_t)PAGE;
    return (n < PIECE && PIECE <= limit - mapped && map(PIECE)) || map(n);
}

void *sbrk(ptrdiff_t change)
{
    uintptr_t old = at;
    if (change > 0 ? (uintptr_t)change > limit - at || !map_up_to(at + (uintptr_t)change)
                   : (uintptr_t)-change > at - first) {
        errno = ENOMEM;
        return (void *)-1;
    }
    at += (uintptr_t)change;
    return (void *)old;
}
