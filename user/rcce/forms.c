/* SPDX-License-Identifier: MIT */
/*
 * forms.c - other forms of RCCE's messages: to all UEs, with a tag, probed, cancelled. All are messages of send.c, so
 * any form of sending can be combined with any form of receiving.
 *
 * A message's tag lies in the sender's buffer, next to the message's size. It is stored before the first chunk is
 * announced, so a receiver that sees the chunk also sees the tag.
 */
#include <string.h>

#include "rcce.h"

int RCCE_send_pipe(char *buffer, size_t size, int dest) { return RCCE_send(buffer, size, dest); }

int RCCE_recv_pipe(char *buffer, size_t size, int source) { return RCCE_recv(buffer, size, source); }

static size_t tag_bytes(const void *tag, int length)
{
    return !tag || length < 0 ? 0 : length < RCCE_TAG ? (size_t)length : RCCE_TAG;
}

void rcce_read_tag(int source, void *tag, int length) { rcce_copy(tag, rcce.mpb[source]->tag, tag_bytes(tag, length)); }

/* An empty message would have no chunk to announce the tag, so one byte is sent. */
int RCCE_send_tagged(char *buffer, size_t size, int dest, void *tag, int length)
{
    char nothing = 0;
    int error = rcce_check_message(buffer, size, dest);
    if (error)
        return rcce_error(DEBUG_COMM, error);
    rcce_await_out();
    rcce_copy(rcce.own->tag, tag, tag_bytes(tag, length));
    return size ? RCCE_send(buffer, size, dest) : RCCE_send(&nothing, 1, dest);
}

int RCCE_recv_tagged(char *buffer, size_t size, int source, void *tag, int length)
{
    char nothing;
    int error = rcce_check_message(buffer, size, source);
    if (!error)
        error = RCCE_recv_probe_tagged(source, NULL, NULL, tag, length);
    if (error)
        return rcce_error(DEBUG_COMM, error);
    return size ? RCCE_recv(buffer, size, source) : RCCE_recv(&nothing, 1, source);
}

static bool waits(int source) { return !rcce.in_open[source] && rcce_waits(source); }

int RCCE_recv_probe_tagged(int source, int *test, t_vcharp *combuf, void *tag, int length)
{
    int error = rcce_check_peer(source);
    if (error)
        return rcce_error(DEBUG_COMM, error);
    if (rcce.push)
        rcce.push();
    bool found;
    rcce_await((found = waits(source)) || test);
    if (found)
        rcce_read_tag(source, tag, length);
    else
        rcce_polled();
    if (test)
        *test = found;
    if (combuf)
        *combuf = found ? (t_vcharp)rcce.mpb[source] + (rcce.combuf - (char *)rcce.own) : NULL;
    return RCCE_SUCCESS;
}

int RCCE_recv_probe(int source, int *test, t_vcharp *combuf)
{
    return RCCE_recv_probe_tagged(source, test, combuf, NULL, 0);
}

int RCCE_recv_cancel(size_t size, int source)
{
    struct rcce_in in;
    int error = rcce_check_peer(source);
    if (error)
        return rcce_error(DEBUG_COMM, error);
    rcce_await_in(source);
    rcce.in_open[source]++;
    rcce_in_begin(&in, NULL, size, source);
    rcce_await(rcce_in_skip(&in));
    rcce.in_open[source]--;
    return RCCE_SUCCESS;
}
