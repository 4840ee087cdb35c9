/* SPDX-License-Identifier: MIT */
/*
 * iRCCE.h - non-blocking messages upon RCCE's simple interface: the part of iRCCE 2.0 that docs/scc.md names.
 *
 * Requests are the application's memory and must stay until they are finished. Sends go one after the other; receives
 * from one source, too. Progress is made in calls of iRCCE, and in each call of RCCE that waits.
 */
#ifndef IRCCE_H
#define IRCCE_H

#include <RCCE.h>

#define iRCCE_SUCCESS      0
#define iRCCE_ERROR        (-1)
#define iRCCE_PENDING      (-2) /* under way */
#define iRCCE_RESERVED     (-3) /* behind others */
#define iRCCE_NOT_ENQUEUED (-4)

/* Chunks of a message on its way. */
struct rcce_out {
    const char *data;
    size_t left;
    unsigned chunks; /* that were put */
    int dest;
};

struct rcce_in {
    char *data;
    size_t left;
    unsigned chunks;
    int source;
};

typedef struct iRCCE_SEND_REQUEST {
    struct iRCCE_SEND_REQUEST *next;
    struct rcce_out out;
    int finished;
} iRCCE_SEND_REQUEST;

typedef struct iRCCE_RECV_REQUEST {
    struct iRCCE_RECV_REQUEST *next;
    struct rcce_in in;
    int finished;
} iRCCE_RECV_REQUEST;

typedef struct {
    struct iRCCE_wait_element *first, *last;
} iRCCE_WAIT_LIST;

#ifdef __cplusplus
extern "C" {
#endif

int iRCCE_init(void); /* after RCCE_init(), by every UE; ends in a barrier */

/* SUCCESS: done; PENDING: under way; RESERVED: behind others. Without a request they wait. A size of 0 or less is done
 * at once. RCCE_ERROR_ID, RCCE_ERROR_VAL_UNDEFINED (no buffer), RCCE_ERROR_MALLOC (gory interface); iRCCE_ERROR: the
 * request is still open. */
int iRCCE_isend(char *buffer, ssize_t size, int dest, iRCCE_SEND_REQUEST *request);
int iRCCE_irecv(char *buffer, ssize_t size, int source, iRCCE_RECV_REQUEST *request);
/* As above; *test, which may be NULL, is 1 if it is finished. Without a request: all of this direction. NOT_ENQUEUED:
 * it is neither finished nor open. */
int iRCCE_isend_test(iRCCE_SEND_REQUEST *request, int *test);
int iRCCE_irecv_test(iRCCE_RECV_REQUEST *request, int *test);
int iRCCE_isend_wait(iRCCE_SEND_REQUEST *request);
int iRCCE_irecv_wait(iRCCE_RECV_REQUEST *request);
int iRCCE_isend_push(void); /* PENDING: some are left */
int iRCCE_irecv_push(void);
/* SUCCESS: it is no longer open (*test, which may be NULL, is 1); PENDING: under way; NOT_ENQUEUED. */
int iRCCE_isend_cancel(iRCCE_SEND_REQUEST *request, int *test);
int iRCCE_irecv_cancel(iRCCE_RECV_REQUEST *request, int *test);

/* Either request may be NULL. A program without memory for the element ends. */
void iRCCE_init_wait_list(iRCCE_WAIT_LIST *list);
void iRCCE_add_to_wait_list(iRCCE_WAIT_LIST *list, iRCCE_SEND_REQUEST *send, iRCCE_RECV_REQUEST *recv);
/* What is finished leaves the list. PENDING: some are left. _any gives one that is finished, by one of the two
 * pointers; the other is NULL. Of an empty list: NOT_ENQUEUED, and both are NULL. */
int iRCCE_test_all(iRCCE_WAIT_LIST *list, int *test);
int iRCCE_wait_all(iRCCE_WAIT_LIST *list);
int iRCCE_test_any(iRCCE_WAIT_LIST *list, iRCCE_SEND_REQUEST **send, iRCCE_RECV_REQUEST **recv);
int iRCCE_wait_any(iRCCE_WAIT_LIST *list, iRCCE_SEND_REQUEST **send, iRCCE_RECV_REQUEST **recv);

#ifdef __cplusplus
}
#endif

#endif
