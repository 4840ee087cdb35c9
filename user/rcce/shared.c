/* SPDX-License-Identifier: MIT */
/*
 * shared.c - RCCE_shmalloc(): off-chip memory that all UEs share. Each UE keeps a list of pieces and allocates by first
 * fit, so UEs that make the same calls get the same addresses. On this board the memory is coherent; on the real SCC it
 * is mapped uncached.
 */
#include <string.h>

#include "rcce.h"

#define MOST_PIECES 256

static struct piece {
    size_t at, size;
} pieces[MOST_PIECES]; /* in ascending order */
static unsigned n_pieces;
static size_t room;

void rcce_shm_init(void)
{
    n_pieces = 0;
    room = rcce.calls->shared_size > SHM_OWN ? rcce.calls->shared_size - SHM_OWN : 0;
}

static t_vcharp pointer(size_t at) { return (t_vcharp)rcce.calls->shared + SHM_OWN + at; }

static struct piece *find(t_vcharp memory)
{
    for (unsigned i = 0; i < n_pieces; i++)
        if (pointer(pieces[i].at) == memory)
            return &pieces[i];
    return NULL;
}

t_vcharp RCCE_shmalloc(size_t size)
{
    size_t at = 0;
    unsigned i = 0;
    if (!rcce.n || !size || size > room || n_pieces == MOST_PIECES)
        return NULL;
    size = (size + RCCE_LINE_SIZE - 1) / RCCE_LINE_SIZE * RCCE_LINE_SIZE;
    for (; i < n_pieces && pieces[i].at - at < size; i++)
        at = pieces[i].at + pieces[i].size;
    if (size > room - at)
        return NULL;
    memmove(&pieces[i + 1], &pieces[i], (n_pieces++ - i) * sizeof(pieces[0]));
    pieces[i] = (struct piece){ at, size };
    return pointer(at);
}

void RCCE_shfree(t_vcharp memory)
{
    struct piece *p = find(memory);
    if (!p)
        return;
    unsigned behind = n_pieces-- - (unsigned)(p - pieces) - 1;
    memmove(p, p + 1, behind * sizeof(*p));
}

/* Each UE copies the contents to the new place; all of them write the same bytes. */
t_vcharp RCCE_shrealloc(t_vcharp memory, size_t size)
{
    struct piece *p = find(memory);
    if (!memory)
        return RCCE_shmalloc(size);
    if (!p || !size)
        return NULL;
    size_t keep = p->size < size ? p->size : size;
    t_vcharp larger = RCCE_shmalloc(size);
    if (!larger)
        return NULL;
    rcce_copy(larger, memory, keep);
    RCCE_shfree(memory);
    return larger;
}

void RCCE_shflush(void)
{
    cache_clean_all();
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    rcce_polled();
}
