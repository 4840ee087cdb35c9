/* SPDX-License-Identifier: MIT */
/* ircce_sync.c - iRCCE's synchronous messages: an empty one waits for the other side, too, because one byte is sent in
 * its place. Also probes, and the properties of requests. */
#include "ircce.h"

int iRCCE_issend(char *buffer, ssize_t size, int dest, iRCCE_SEND_REQUEST *request)
{
    return request ? rcce_post_send(buffer, size, dest, request, true) : iRCCE_ssend(buffer, size, dest);
}

int iRCCE_isrecv(char *buffer, ssize_t size, int source, iRCCE_RECV_REQUEST *request)
{
    return request ? rcce_post_receive(buffer, size, source, request, true) : iRCCE_srecv(buffer, size, source);
}

int iRCCE_ssend(char *buffer, ssize_t size, int dest)
{
    char nothing = 0;
    if (size < 0)
        return iRCCE_SUCCESS;
    return size ? RCCE_send(buffer, (size_t)size, dest) : RCCE_send(&nothing, 1, dest);
}

int iRCCE_srecv(char *buffer, ssize_t size, int source)
{
    iRCCE_RECV_REQUEST own;
    return rcce_wait_receive(rcce_post_receive(buffer, size, source, &own, true), &own);
}

int iRCCE_srecv_test(char *buffer, ssize_t size, int source, int *test)
{
    if (!test || (size <= 0 && size != ANY)) {
        if (test)
            *test = 1;
        return test ? iRCCE_SUCCESS : iRCCE_srecv(buffer, size, source);
    }
    int from = source, error = iRCCE_iprobe(source, &from, test);
    if (error || !*test)
        return error ? error : iRCCE_PENDING;
    return iRCCE_srecv(buffer, size, from);
}

/* Check once whether a message of a source waits. */
static int look(int source)
{
    rcce_push_all();
    if (source == ANY)
        return rcce_find_source();
    return !rcce.in_open[source] && rcce_waits(source) ? source : ANY;
}

static int check(int source) { return rcce_check_peer(source == ANY && rcce.n > 1 ? !rcce.ue : source); }

static void remember(int source)
{
    size_t size;
    rcce_recent_source = source;
    rcce_recent_length = rcce_waits_size(source, &size) ? size : 0;
}

int iRCCE_iprobe(int source, int *rank, int *flag)
{
    int error = check(source), found = error ? ANY : look(source);
    if (found != ANY)
        remember(found);
    else
        rcce_polled();
    if (rank)
        *rank = found;
    if (flag)
        *flag = found != ANY;
    return error ? rcce_error(DEBUG_COMM, error) : iRCCE_SUCCESS;
}

int iRCCE_probe(int source, int *rank)
{
    int found = ANY, error;
    rcce_await((error = iRCCE_iprobe(source, &found, NULL)) || found != ANY);
    if (rank)
        *rank = found;
    return error;
}

int iRCCE_get_dest(iRCCE_SEND_REQUEST *request) { return request ? request->out.dest : iRCCE_ERROR; }

int iRCCE_get_source(iRCCE_RECV_REQUEST *request) { return request ? request->in.source : rcce_recent_source; }

int iRCCE_get_size(iRCCE_SEND_REQUEST *send, iRCCE_RECV_REQUEST *recv)
{
    return (int)(send ? send->size : recv ? recv->size : rcce_recent_length);
}

int iRCCE_get_length(void) { return (int)rcce_recent_length; }
