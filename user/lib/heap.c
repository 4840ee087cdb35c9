/* SPDX-License-Identifier: MIT */
/*
 * heap.c - sbrk(). The heap is a range of addresses behind the image and the first stack, large enough for all memory
 * of the process. It is mapped as far as it is in use. sbrk() takes the C library's lock, which malloc() holds already
 * when it calls sbrk().
 */
#include <errno.h>
#include <sys/lock.h>
#include <unistd.h>

#include "memory.h"
#include "thread.h"

#define PIECE 16384u /* bytes to map at once, if there are as many */

static uintptr_t first, at, mapped, limit;

void heap_begin(uintptr_t start, uintptr_t end)
{
    first = at = mapped = start;
    limit = end;
}

bool (*memory_give_back)(void);

int64_t memory_map(void *address, size_t n, enum amalgam_map protection)
{
    int64_t at = amalgam_map(address, n, protection);
    if (at == -AMALGAM_ENOMEM && memory_give_back && memory_give_back())
        at = amalgam_map(address, n, protection);
    return at;
}

/* Map the heap at least up to `end`. Returns whether there was memory for it. */
static bool map_up_to(uintptr_t end)
{
    if (end <= mapped)
        return true;
    uintptr_t n = (end - mapped + PAGE - 1) & -(uintptr_t)PAGE;
    if (n < PIECE && PIECE <= limit - mapped && amalgam_map((void *)mapped, PIECE, AMALGAM_MAP_WRITE) >= 0)
        n = PIECE;
    else if (memory_map((void *)mapped, n, AMALGAM_MAP_WRITE) < 0)
        return false;
    mapped += n;
    return true;
}

void *heap_move_end(ptrdiff_t change)
{
    uintptr_t old = at;
    if (change > 0 ? (uintptr_t)change > limit - at || !map_up_to(at + (uintptr_t)change)
                   : (uintptr_t)-change > at - first)
        return NULL;
    at += (uintptr_t)change;
    return (void *)old;
}

void *sbrk(ptrdiff_t change)
{
    __LIBC_LOCK();
    void *old = heap_move_end(change);
    __LIBC_UNLOCK();
    if (old)
        return old;
    errno = ENOMEM;
    return (void *)-1;
}
