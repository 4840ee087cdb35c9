/* SPDX-License-Identifier: MIT */
/*
 * heap.c - sbrk(): the heap is all memory of the process behind its image and its first stack, there from the start.
 * malloc() calls this with the C library's lock held.
 */
#include <errno.h>
#include <stdint.h>
#include <unistd.h>

#include "thread.h"

static uintptr_t first, at, limit;

void heap_begin(uintptr_t start, uintptr_t end)
{
    first = at = start;
    limit = end;
}

void *sbrk(ptrdiff_t change)
{
    uintptr_t old = at;
    if (change > 0 ? (uintptr_t)change > limit - at : (uintptr_t)-change > at - first) {
        errno = ENOMEM;
        return (void *)-1;
    }
    at += (uintptr_t)change;
    return (void *)old;
}
