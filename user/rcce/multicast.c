/* SPDX-License-Identifier: MIT */
/*
 * multicast.c - one message to all other UEs. Each chunk is put once, and announced to and taken by each of them. For a
 * receiver it is a message like any other.
 */
#include "rcce.h"

static void put_chunk(const char *data, size_t n, unsigned half)
{
    rcce_copy(rcce.combuf + half * HALF, data, n);
    for (int ue = 0; ue < rcce.n; ue++) /* each store brings the one before it to memory */
        if (ue != rcce.ue)
            rcce.mpb[ue]->sent[half][rcce.ue] = ++rcce.put[half][ue];
    mpbt_drain(&rcce.own->drain);
}

static void await_all(unsigned half)
{
    for (int ue = 0; ue < rcce.n; ue++)
        rcce_await(ue == rcce.ue || rcce_taken(ue, half));
}

int RCCE_send_mcast(char *buffer, size_t size)
{
    if (!rcce.combuf || (!buffer && size))
        return rcce_error(DEBUG_COMM, rcce.combuf ? RCCE_ERROR_VAL_UNDEFINED : RCCE_ERROR_MALLOC);
    rcce_await_out();
    rcce.own->size = (u32)size;
    unsigned chunks = 0;
    for (size_t at = 0, n; at < size; at += n, chunks++) {
        n = size - at < HALF ? size - at : HALF;
        if (chunks >= 2)
            await_all(chunks % 2);
        put_chunk(buffer + at, n, chunks % 2);
    }
    for (unsigned half = 0; half < 2 && half < chunks; half++)
        await_all(half);
    return RCCE_SUCCESS;
}

int RCCE_recv_mcast(char *buffer, size_t size, int source) { return RCCE_recv(buffer, size, source); }
