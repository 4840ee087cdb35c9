/* SPDX-License-Identifier: MIT */
/*
 * ircce.c - requests: messages of send.c that go on whenever somebody calls.
 *
 * There is one buffer, so sends are a queue, and its head is under way. Receives are one list in the order of their
 * calls; the first one of each source is under way. While a request is open, rcce.push makes each wait of RCCE's
 * push, and `out_open` and `in_open` hold back its blocking calls until the requests before them are done.
 */
#include <iRCCE.h>

#include "rcce.h"

static iRCCE_SEND_REQUEST *sends;
static iRCCE_RECV_REQUEST *receives;

static void push_all(void);

/* The hook is there as long as a request is. */
static void hook(void) { rcce.push = sends || receives ? push_all : NULL; }

static void push_sends(void)
{
    while (sends && rcce_out_step(&sends->out)) {
        iRCCE_SEND_REQUEST *r = sends;
        sends = r->next;
        rcce.out_open--;
        r->finished = 1;
        hook();
    }
}

static void push_receives(void)
{
    uint64_t held = 0; /* sources whose first request is not finished */
    iRCCE_RECV_REQUEST **link = &receives;
    while (*link) {
        iRCCE_RECV_REQUEST *r = *link;
        if (held >> r->in.source & 1 || !rcce_in_step(&r->in)) {
            held |= (uint64_t)1 << r->in.source;
            link = &r->next;
            continue;
        }
        *link = r->next;
        rcce.in_open[r->in.source]--;
        r->finished = 1;
        hook();
    }
}

static void push_all(void)
{
    push_sends();
    push_receives();
}

int iRCCE_init(void)
{
    if (!rcce.n)
        return rcce_error(DEBUG_COMM, RCCE_ERROR_COMM_UNDEFINED);
    if (sends || receives)
        return iRCCE_ERROR;
    return RCCE_barrier(&RCCE_COMM_WORLD);
}

static iRCCE_SEND_REQUEST **find_send(const iRCCE_SEND_REQUEST *request)
{
    iRCCE_SEND_REQUEST **link = &sends;
    while (*link && *link != request)
        link = &(*link)->next;
    return link;
}

static iRCCE_RECV_REQUEST **find_receive(const iRCCE_RECV_REQUEST *request)
{
    iRCCE_RECV_REQUEST **link = &receives;
    while (*link && *link != request)
        link = &(*link)->next;
    return link;
}

/* Whether an open request is the first one of its source. */
static bool is_first(const iRCCE_RECV_REQUEST *request)
{
    const iRCCE_RECV_REQUEST *r = receives;
    while (r != request && r->in.source != request->in.source)
        r = r->next;
    return r == request;
}

int iRCCE_isend(char *buffer, ssize_t size, int dest, iRCCE_SEND_REQUEST *request)
{
    size_t bytes = size > 0 ? (size_t)size : 0;
    int error = rcce_check_message(buffer, bytes, dest);
    if (error)
        return rcce_error(DEBUG_COMM, error);
    if (!request)
        return RCCE_send(buffer, bytes, dest);
    iRCCE_SEND_REQUEST **link = find_send(request);
    if (*link)
        return iRCCE_ERROR;
    *request = (iRCCE_SEND_REQUEST){ .out = { buffer, bytes, 0, dest }, .finished = !bytes };
    if (!bytes)
        return iRCCE_SUCCESS;
    *link = request;
    rcce.out_open++;
    rcce.push = push_all;
    return iRCCE_isend_test(request, NULL);
}

int iRCCE_irecv(char *buffer, ssize_t size, int source, iRCCE_RECV_REQUEST *request)
{
    size_t bytes = size > 0 ? (size_t)size : 0;
    int error = rcce_check_message(buffer, bytes, source);
    if (error)
        return rcce_error(DEBUG_COMM, error);
    if (!request)
        return RCCE_recv(buffer, bytes, source);
    iRCCE_RECV_REQUEST **link = find_receive(request);
    if (*link)
        return iRCCE_ERROR;
    *request = (iRCCE_RECV_REQUEST){ .in = { buffer, bytes, 0, source }, .finished = !bytes };
    if (!bytes)
        return iRCCE_SUCCESS;
    *link = request;
    rcce.in_open[source]++;
    rcce.push = push_all;
    return iRCCE_irecv_test(request, NULL);
}

/* Store whether it is finished, for who wants to know. */
static int answer(int result, int *test)
{
    if (test)
        *test = result == iRCCE_SUCCESS;
    return result;
}

int iRCCE_isend_push(void)
{
    push_sends();
    return sends ? iRCCE_PENDING : iRCCE_SUCCESS;
}

int iRCCE_irecv_push(void)
{
    push_receives();
    return receives ? iRCCE_PENDING : iRCCE_SUCCESS;
}

int iRCCE_isend_test(iRCCE_SEND_REQUEST *request, int *test)
{
    push_sends();
    if (!request)
        return answer(sends ? iRCCE_PENDING : iRCCE_SUCCESS, test);
    if (request == sends)
        return answer(iRCCE_PENDING, test);
    if (*find_send(request))
        return answer(iRCCE_RESERVED, test);
    return answer(request->finished == 1 ? iRCCE_SUCCESS : iRCCE_NOT_ENQUEUED, test);
}

int iRCCE_irecv_test(iRCCE_RECV_REQUEST *request, int *test)
{
    push_receives();
    if (!request)
        return answer(receives ? iRCCE_PENDING : iRCCE_SUCCESS, test);
    if (*find_receive(request))
        return answer(is_first(request) ? iRCCE_PENDING : iRCCE_RESERVED, test);
    return answer(request->finished == 1 ? iRCCE_SUCCESS : iRCCE_NOT_ENQUEUED, test);
}

static bool is_open(int result) { return result == iRCCE_PENDING || result == iRCCE_RESERVED; }

int iRCCE_isend_wait(iRCCE_SEND_REQUEST *request)
{
    int result;
    for (unsigned looks = 0; is_open(result = iRCCE_isend_test(request, NULL)); rcce_relax(&looks))
        if (receives)
            push_receives();
    return result;
}

int iRCCE_irecv_wait(iRCCE_RECV_REQUEST *request)
{
    int result;
    for (unsigned looks = 0; is_open(result = iRCCE_irecv_test(request, NULL)); rcce_relax(&looks))
        push_sends();
    return result;
}

int iRCCE_isend_cancel(iRCCE_SEND_REQUEST *request, int *test)
{
    iRCCE_SEND_REQUEST **link = find_send(request);
    if (!request || !*link)
        return answer(iRCCE_NOT_ENQUEUED, test);
    if (request == sends)
        return answer(iRCCE_PENDING, test);
    *link = request->next;
    rcce.out_open--;
    return answer(iRCCE_SUCCESS, test);
}

int iRCCE_irecv_cancel(iRCCE_RECV_REQUEST *request, int *test)
{
    iRCCE_RECV_REQUEST **link = find_receive(request);
    if (!request || !*link)
        return answer(iRCCE_NOT_ENQUEUED, test);
    if (is_first(request))
        return answer(iRCCE_PENDING, test);
    *link = request->next;
    rcce.in_open[request->in.source]--;
    return answer(iRCCE_SUCCESS, test);
}
