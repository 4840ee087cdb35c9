/* SPDX-License-Identifier: MIT */
/* send.c - the simple interface's messages, in chunks through the two halves of the sender's buffer (rcce.h). */
#include "rcce.h"

void rcce_out_begin(struct rcce_out *o, const void *data, size_t size, int dest)
{
    *o = (struct rcce_out){ .data = data, .left = size, .dest = dest };
}

static inline size_t chunk(size_t left) { return left < HALF ? left : HALF; }

static inline __attribute__((always_inline)) void put_chunk(struct rcce_out *o, unsigned half)
{
    size_t n = chunk(o->left);
    o->chunks++;
    rcce_copy(rcce.combuf + half * HALF, o->data, n);
    o->data += n;
    o->left -= n;
    rcce_tell_byte(&rcce.mpb[o->dest]->sent[half][rcce.ue], ++rcce.put[half][o->dest]);
}

bool rcce_out_step(struct rcce_out *o)
{
    if (!o->chunks) {
        if (!o->left)
            return true;
        rcce.own->size = (u32)o->left; /* may be written, because the last message was taken */
        put_chunk(o, 0);
    }
    while (o->left) {
        if (o->chunks >= 2 && !rcce_taken(o->dest, o->chunks % 2))
            return false;
        put_chunk(o, o->chunks % 2);
    }
    return rcce_taken(o->dest, (o->chunks - 1) % 2) && (o->chunks == 1 || rcce_taken(o->dest, o->chunks % 2));
}

void rcce_in_begin(struct rcce_in *in, void *data, size_t size, int source)
{
    *in = (struct rcce_in){ .data = data, .left = size, .source = source };
}

bool rcce_waits(int source) { return rcce_came(source, 0); }

bool rcce_waits_size(int source, size_t *size)
{
    if (!rcce_came(source, 0))
        return false;
    u32 n = rcce.mpb[source]->size; /* check: a message has at least one byte and fits into the address space */
    *size = n;
    return n && n <= INT32_MAX;
}

static inline bool in_step(struct rcce_in *in, bool keep)
{
    while (in->left && rcce_came(in->source, in->chunks % 2)) {
        unsigned half = in->chunks++ % 2;
        struct rcce_mpb *from = rcce.mpb[in->source];
        size_t n = chunk(in->left), at = (size_t)(rcce.combuf - (char *)rcce.own) + half * HALF;
        if (keep) {
            rcce_copy(in->data, (char *)from + at, n);
            in->data += n;
        }
        in->left -= n;
        rcce_tell_byte(&from->taken[half][rcce.ue], ++rcce.got[half][in->source]);
    }
    return !in->left;
}

bool rcce_in_step(struct rcce_in *in) { return in_step(in, true); }

bool rcce_in_skip(struct rcce_in *in) { return in_step(in, false); }

void rcce_await_out(void) { rcce_await(!rcce.out_open); /* open requests use the buffer */ }

void rcce_await_in(int source) { rcce_await(!rcce.in_open[source]); /* the next message is for an open request */ }

int RCCE_send(char *buffer, size_t size, int dest)
{
    struct rcce_out o;
    int error = rcce_check_message(buffer, size, dest);
    if (error)
        return rcce_error(DEBUG_COMM, error);
    if (rcce.out_open)
        rcce_await_out();
    rcce_out_begin(&o, buffer, size, dest);
    rcce_await(rcce_out_step(&o));
    return RCCE_SUCCESS;
}

int RCCE_recv(char *buffer, size_t size, int source)
{
    struct rcce_in in;
    int error = rcce_check_message(buffer, size, source);
    if (error)
        return rcce_error(DEBUG_COMM, error);
    if (rcce.in_open[source])
        rcce_await_in(source);
    rcce.in_open[source]++; /* so that a request for any source takes no part of the message */
    rcce_in_begin(&in, buffer, size, source);
    rcce_await(rcce_in_step(&in));
    rcce.in_open[source]--;
    return RCCE_SUCCESS;
}

int RCCE_recv_test(char *buffer, size_t size, int source, int *test)
{
    int error = rcce_check_message(buffer, size, source);
    if (error || !test)
        return rcce_error(DEBUG_COMM, error ? error : RCCE_ERROR_VAL_UNDEFINED);
    if (rcce.push)
        rcce.push();
    *test = !size || (!rcce.in_open[source] && rcce_waits(source));
    if (*test)
        return RCCE_recv(buffer, size, source);
    rcce_polled();
    return RCCE_SUCCESS;
}
