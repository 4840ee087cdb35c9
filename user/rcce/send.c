/* SPDX-License-Identifier: MIT */
/* send.c - the simple interface's messages, in chunks through the two halves of the sender's buffer (rcce.h). */
#include "rcce.h"

void rcce_out_begin(struct rcce_out *o, const void *data, size_t size, int dest)
{
    *o = (struct rcce_out){ .data = data, .left = size, .first = rcce.put[dest], .dest = dest };
}

static void put_chunk(struct rcce_out *o)
{
    size_t n = o->left < HALF ? o->left : HALF;
    rcce_copy(rcce.combuf + (o->chunks % 2 ? HALF : 0), o->data, n);
    o->data += n;
    o->left -= n;
    o->chunks++;
    rcce_tell(&rcce.mpb[o->dest]->sent[rcce.ue], ++rcce.put[o->dest]);
}

bool rcce_out_step(struct rcce_out *o)
{
    for (;;) {
        u32 taken = o->chunks ? rcce_look(&rcce.own->taken[o->dest]) - o->first : 0;
        if (taken > o->chunks) /* rubbish */
            return false;
        if (!o->left)
            return taken == o->chunks;
        if (o->chunks - taken == 2)
            return false;
        put_chunk(o);
    }
}

void rcce_in_begin(struct rcce_in *in, void *data, size_t size, int source)
{
    *in = (struct rcce_in){ .data = data, .left = size, .source = source };
}

bool rcce_waits(int source)
{
    u32 n = rcce_look(&rcce.own->sent[source]) - rcce.got[source];
    return n == 1 || n == 2;
}

bool rcce_in_step(struct rcce_in *in)
{
    while (in->left && rcce_waits(in->source)) {
        struct rcce_mpb *from = rcce.mpb[in->source];
        size_t n = in->left < HALF ? in->left : HALF, at = (size_t)(rcce.combuf - (char *)rcce.own);
        rcce_copy(in->data, (char *)from + at + (in->chunks % 2 ? HALF : 0), n);
        in->data += n;
        in->left -= n;
        in->chunks++;
        rcce_tell(&from->taken[rcce.ue], ++rcce.got[in->source]);
    }
    return !in->left;
}

static int check(const void *buffer, size_t size, int ue)
{
    if (!rcce_ue_ok(ue) || ue == rcce.ue)
        return RCCE_ERROR_ID;
    if (!rcce.combuf)
        return RCCE_ERROR_MALLOC;
    return buffer || !size ? RCCE_SUCCESS : RCCE_ERROR_VAL_UNDEFINED;
}

int RCCE_send(char *buffer, size_t size, int dest)
{
    struct rcce_out o;
    int error = check(buffer, size, dest);
    if (error)
        return rcce_error(DEBUG_COMM, error);
    rcce_out_begin(&o, buffer, size, dest);
    for (unsigned looks = 0; !rcce_out_step(&o);)
        rcce_relax(&looks);
    return RCCE_SUCCESS;
}

int RCCE_recv(char *buffer, size_t size, int source)
{
    struct rcce_in in;
    int error = check(buffer, size, source);
    if (error)
        return rcce_error(DEBUG_COMM, error);
    rcce_in_begin(&in, buffer, size, source);
    for (unsigned looks = 0; !rcce_in_step(&in);)
        rcce_relax(&looks);
    return RCCE_SUCCESS;
}

int RCCE_recv_test(char *buffer, size_t size, int source, int *test)
{
    int error = check(buffer, size, source);
    if (error || !test)
        return rcce_error(DEBUG_COMM, error ? error : RCCE_ERROR_VAL_UNDEFINED);
    *test = !size || rcce_waits(source);
    return *test ? RCCE_recv(buffer, size, source) : RCCE_SUCCESS;
}
