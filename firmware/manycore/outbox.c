/* SPDX-License-Identifier: MIT */
/*
 * outbox.c - clears memory, and what a former life left in an outbox.
 *
 * An outbox has an area for each cluster, which begins with a word that says of which life the rest is
 * (docs/boards.md). These words are cleared first. So a reader that copies, and then finds its word unchanged, has not
 * copied zeros.
 */
#include "csr.h"
#include "hart.h"

void clear(ulong base, ulong size)
{
    for (ulong *to = (ulong *)base; to < (ulong *)(base + size); to += 16)
        to[0] = to[1] = to[2] = to[3] = to[4] = to[5] = to[6] = to[7] = to[8] = to[9] = to[10] = to[11] = to[12] =
            to[13] = to[14] = to[15] = 0;
}

void outbox_clear(ulong base, ulong size, u32 n_clusters)
{
    for (u32 i = 0; i < n_clusters && i * FW_AREA < size; i++)
        *(volatile u32 *)(base + i * FW_AREA) = 0;
    fence();
    clear(base, size);
}
