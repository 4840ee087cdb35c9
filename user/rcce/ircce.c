/* SPDX-License-Identifier: MIT */
/*
 * ircce.c - non-blocking requests: messages of send.c that make progress in later calls of iRCCE and RCCE.
 *
 * A UE has one buffer, so sends are a queue whose head is under way. Receives are one list in the order of their calls;
 * the first one of each source is under way. A request for any source gets the first source from which a message waits
 * that is for no other request; from then on it is a request for that source. While a request is open, rcce.push lets
 * every wait in RCCE make progress; `out_open` and `in_open` make RCCE's blocking calls wait for the requests before
 * them.
 */
#include "ircce.h"

const int iRCCE_ANY_SOURCE = ANY, iRCCE_ANY_LENGTH = ANY;

int rcce_recent_source = -1;
size_t rcce_recent_length;

static iRCCE_SEND_REQUEST *sends, **last_send = &sends;
static iRCCE_RECV_REQUEST *receives, **last_receive = &receives;

/* Set rcce.push as long as there is a request. */
static void hook(void) { rcce.push = sends || receives ? rcce_push_all : NULL; }

/* The first send was taken. */
static void send_done(void)
{
    iRCCE_SEND_REQUEST *r = sends;
    sends = r->next;
    if (!sends)
        last_send = &sends;
    rcce.out_open--;
    r->finished = 1;
    hook();
}

static void push_sends(void)
{
    while (sends && rcce_out_step(&sends->out))
        send_done();
}

int rcce_find_source(void)
{
    static int last; /* start behind the last source that was found, so that each gets its turn */
    for (int i = 1; i <= rcce.n; i++) {
        int source = (last + i) % rcce.n;
        if (source != rcce.ue && !rcce.in_open[source] && rcce_waits(source))
            return last = source;
    }
    return ANY;
}

/* Find the source of a request for any source, and the size of one for any length. Returns whether chunks can be taken.
 */
static bool ready(iRCCE_RECV_REQUEST *r)
{
    size_t size;
    if (r->in.source == ANY) {
        r->in.source = rcce_find_source();
        if (r->in.source == ANY)
            return false;
        rcce.in_open[r->in.source]++;
    }
    if (!r->any_length)
        return true;
    if (!rcce_waits_size(r->in.source, &size))
        return false;
    r->in.left = r->size = size;
    r->any_length = 0;
    return true;
}

static inline void received(iRCCE_RECV_REQUEST *r)
{
    rcce_recent_source = r->in.source;
    rcce_recent_length = r->size;
    r->finished = 1;
}

/* The receive at a link of the list has its message. */
static void receive_done(iRCCE_RECV_REQUEST **link)
{
    iRCCE_RECV_REQUEST *r = *link;
    *link = r->next;
    if (!r->next)
        last_receive = link;
    rcce.in_open[r->in.source]--;
    received(r);
    hook();
}

/* Whether all that there is to do is one receive, whose source and length are known. */
static inline bool is_all(const iRCCE_RECV_REQUEST *r)
{
    return r == receives && !r->next && !sends && !r->any_length && r->in.source != ANY;
}

static void push_receives(void)
{
    static u32 pass, held[RCCE_MAXNP + 1]; /* held: for each source, 0 for ANY, the pass in which its first is open */
    iRCCE_RECV_REQUEST **link = &receives;
    pass++;
    while (*link) {
        iRCCE_RECV_REQUEST *r = *link;
        if (held[r->in.source + 1] == pass || !ready(r) || !rcce_in_step(&r->in)) {
            held[r->in.source + 1] = pass;
            link = &r->next;
            continue;
        }
        receive_done(link);
    }
}

void rcce_push_all(void)
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
    rcce_recent_source = -1;
    rcce_recent_length = 0;
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

/* Returns whether an open request has a source and is the first one of it. */
static bool is_first(const iRCCE_RECV_REQUEST *request)
{
    const iRCCE_RECV_REQUEST *r = receives;
    while (r != request && r->in.source != request->in.source)
        r = r->next;
    return r == request && r->in.source != ANY;
}

static inline int post_send(char *buffer, ssize_t size, int dest, iRCCE_SEND_REQUEST *request, bool sync)
{
    size_t bytes = size > 0 ? (size_t)size : 0;
    int error = rcce_check_message(buffer, bytes, dest);
    if (error)
        return rcce_error(DEBUG_COMM, error);
    if (*find_send(request))
        return iRCCE_ERROR;
    if (size == 0 && sync) {
        buffer = &request->sync;
        bytes = 1;
    }
    request->next = NULL; /* field by field: to clear it first is ten instructions more */
    request->out = (struct rcce_out){ buffer, bytes, 0, dest };
    request->size = bytes;
    request->finished = !bytes;
    if (!bytes)
        return iRCCE_SUCCESS;
    *last_send = request;
    last_send = &request->next;
    rcce.out_open++;
    rcce.push = rcce_push_all;
    push_sends();
    return request->finished ? iRCCE_SUCCESS : request == sends ? iRCCE_PENDING : iRCCE_RESERVED;
}

int rcce_post_send(char *buffer, ssize_t size, int dest, iRCCE_SEND_REQUEST *request, bool sync)
{
    return post_send(buffer, size, dest, request, sync);
}

static inline __attribute__((always_inline)) int post_receive(char *buffer, ssize_t size, int source,
                                                              iRCCE_RECV_REQUEST *request, bool sync)
{
    bool any_length = size == ANY;
    size_t bytes = size > 0 ? (size_t)size : any_length;
    int error = rcce_check_message(buffer, bytes, source == ANY && rcce.n > 1 ? !rcce.ue : source);
    if (error)
        return rcce_error(DEBUG_COMM, error);
    if (*find_receive(request))
        return iRCCE_ERROR;
    if (size == 0 && sync) {
        buffer = &request->sync;
        bytes = 1;
    }
    request->next = NULL;
    request->in = (struct rcce_in){ buffer, bytes, 0, source };
    request->size = bytes;
    request->finished = !bytes;
    request->any_length = any_length;
    if (!bytes)
        return iRCCE_SUCCESS;
    if (!receives && source != ANY && !any_length && rcce_in_step(&request->in)) { /* all of it is there */
        received(request);
        return iRCCE_SUCCESS;
    }
    *last_receive = request;
    last_receive = &request->next;
    if (source != ANY)
        rcce.in_open[source]++;
    rcce.push = rcce_push_all;
    push_receives();
    return request->finished ? iRCCE_SUCCESS : is_first(request) ? iRCCE_PENDING : iRCCE_RESERVED;
}

int rcce_post_receive(char *buffer, ssize_t size, int source, iRCCE_RECV_REQUEST *request, bool sync)
{
    return post_receive(buffer, size, source, request, sync);
}

int iRCCE_isend(char *buffer, ssize_t size, int dest, iRCCE_SEND_REQUEST *request)
{
    return request ? post_send(buffer, size, dest, request, false)
                   : RCCE_send(buffer, size > 0 ? (size_t)size : 0, dest);
}

int iRCCE_irecv(char *buffer, ssize_t size, int source, iRCCE_RECV_REQUEST *request)
{
    iRCCE_RECV_REQUEST own;
    if (request)
        return post_receive(buffer, size, source, request, false);
    return rcce_wait_receive(rcce_post_receive(buffer, size, source, &own, false), &own);
}

static bool is_open(int result) { return result == iRCCE_PENDING || result == iRCCE_RESERVED; }

/* Store in *test, unless it is NULL, whether `result` means finished. Returns `result`. */
static int answer(int result, int *test)
{
    if (is_open(result))
        rcce_polled();
    if (test)
        *test = result == iRCCE_SUCCESS;
    return result;
}

/* What is said of a request that is in no list. */
static inline int ended(int finished) { return finished == 1 ? iRCCE_SUCCESS : iRCCE_NOT_ENQUEUED; }

int iRCCE_isend_push(void)
{
    push_sends();
    return answer(sends ? iRCCE_PENDING : iRCCE_SUCCESS, NULL);
}

int iRCCE_irecv_push(void)
{
    push_receives();
    return answer(receives ? iRCCE_PENDING : iRCCE_SUCCESS, NULL);
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
    return answer(ended(request->finished), test);
}

int iRCCE_irecv_test(iRCCE_RECV_REQUEST *request, int *test)
{
    push_receives();
    if (!request)
        return answer(receives ? iRCCE_PENDING : iRCCE_SUCCESS, test);
    if (*find_receive(request))
        return answer(is_first(request) ? iRCCE_PENDING : iRCCE_RESERVED, test);
    return answer(ended(request->finished), test);
}

/* Poll for what a request waits for, if nothing else can make progress: until it is there, or others may have made
 * some. */
static inline void poll_send(const iRCCE_SEND_REQUEST *r, struct rcce_wait *w)
{
    if (!r || r != sends || receives)
        return;
    unsigned half = (r->out.chunks - !r->out.left) % 2;
    while (!rcce_taken(r->out.dest, half)) {
        if (rcce_relax(w))
            return;
    }
    if (!r->out.left && r->out.chunks == 1) /* not to look again */
        send_done();
}

static inline bool poll_receive(const iRCCE_RECV_REQUEST *r, struct rcce_wait *w)
{
    if (!r || !is_all(r))
        return false;
    while (!rcce_came(r->in.source, r->in.chunks % 2)) {
        if (rcce_relax(w))
            return false;
    }
    return true;
}

/* Push both directions until an open request is finished; without a request, until all of this direction are. */
int iRCCE_isend_wait(iRCCE_SEND_REQUEST *request)
{
    if (request && !*find_send(request))
        return ended(request->finished);
    for (struct rcce_wait w = { 0 }; request ? !request->finished : sends != NULL;) {
        poll_send(request, &w);
        push_sends();
        if (receives)
            push_receives();
        if (sends)
            rcce_relax(&w);
    }
    return iRCCE_SUCCESS;
}

int iRCCE_irecv_wait(iRCCE_RECV_REQUEST *request)
{
    if (request && !*find_receive(request))
        return ended(request->finished);
    for (struct rcce_wait w = { 0 }; request ? !request->finished : receives != NULL;) {
        if (poll_receive(request, &w)) {
            if (rcce_in_step(&request->in))
                receive_done(&receives);
            continue;
        }
        push_receives();
        if (sends)
            push_sends();
        if (receives)
            rcce_relax(&w);
    }
    return iRCCE_SUCCESS;
}

int rcce_wait_receive(int result, iRCCE_RECV_REQUEST *request)
{
    return is_open(result) ? iRCCE_irecv_wait(request) : result;
}

int iRCCE_isend_cancel(iRCCE_SEND_REQUEST *request, int *test)
{
    iRCCE_SEND_REQUEST **link = find_send(request);
    if (!request || !*link)
        return answer(iRCCE_NOT_ENQUEUED, test);
    if (request == sends)
        return answer(iRCCE_PENDING, test);
    *link = request->next;
    if (!request->next)
        last_send = link;
    rcce.out_open--;
    return answer(iRCCE_SUCCESS, test);
}

int iRCCE_irecv_cancel(iRCCE_RECV_REQUEST *request, int *test)
{
    iRCCE_RECV_REQUEST **link = find_receive(request);
    if (!request || !*link)
        return answer(iRCCE_NOT_ENQUEUED, test);
    if (request->in.chunks)
        return answer(iRCCE_PENDING, test);
    *link = request->next;
    if (!request->next)
        last_receive = link;
    if (request->in.source != ANY)
        rcce.in_open[request->in.source]--;
    hook();
    return answer(iRCCE_SUCCESS, test);
}
