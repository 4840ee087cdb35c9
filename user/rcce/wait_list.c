/* SPDX-License-Identifier: MIT */
/* wait_list.c - lists of requests to wait for together, in the order in which they were added. */
#include <iRCCE.h>
#include <stdio.h>

#include "rcce.h"

void iRCCE_init_wait_list(iRCCE_WAIT_LIST *list)
{
    if (list)
        list->first = list->last = NULL;
}

static void add(iRCCE_WAIT_LIST *list, int type, void *request)
{
    struct iRCCE_wait_element *e = malloc(sizeof(*e));
    if (!e) {
        printf("iRCCE: UE %d: no memory for a wait list\n", rcce.ue);
        exit(1);
    }
    *e = (struct iRCCE_wait_element){ .type = type, .req = request };
    if (list->first)
        list->last->next = e;
    else
        list->first = e;
    list->last = e;
}

void iRCCE_add_to_wait_list(iRCCE_WAIT_LIST *list, iRCCE_SEND_REQUEST *send, iRCCE_RECV_REQUEST *recv)
{
    if (list && send)
        add(list, iRCCE_WAIT_LIST_SEND_TYPE, send);
    if (list && recv)
        add(list, iRCCE_WAIT_LIST_RECV_TYPE, recv);
}

static iRCCE_SEND_REQUEST *send_of(const struct iRCCE_wait_element *e)
{
    return e->type == iRCCE_WAIT_LIST_SEND_TYPE ? e->req : NULL;
}

static iRCCE_RECV_REQUEST *recv_of(const struct iRCCE_wait_element *e)
{
    return e->type == iRCCE_WAIT_LIST_SEND_TYPE ? NULL : e->req;
}

/* Remove the first finished request from the list. Returns false if there is none. */
static bool take(iRCCE_WAIT_LIST *list, iRCCE_SEND_REQUEST **send, iRCCE_RECV_REQUEST **recv)
{
    struct iRCCE_wait_element *before = NULL, *e = list->first;
    while (e && !(send_of(e) ? send_of(e)->finished : recv_of(e)->finished)) {
        before = e;
        e = e->next;
    }
    if (!e)
        return false;
    *(before ? &before->next : &list->first) = e->next;
    if (list->last == e)
        list->last = before;
    *send = send_of(e);
    *recv = recv_of(e);
    free(e);
    return true;
}

static void push(void)
{
    iRCCE_isend_push();
    iRCCE_irecv_push();
}

int iRCCE_test_any(iRCCE_WAIT_LIST *list, iRCCE_SEND_REQUEST **send, iRCCE_RECV_REQUEST **recv)
{
    if (!list || !send || !recv)
        return rcce_error(DEBUG_COMM, RCCE_ERROR_VAL_UNDEFINED);
    *send = NULL;
    *recv = NULL;
    if (!list->first)
        return iRCCE_NOT_ENQUEUED;
    push();
    return take(list, send, recv) ? iRCCE_SUCCESS : iRCCE_PENDING;
}

int iRCCE_wait_any(iRCCE_WAIT_LIST *list, iRCCE_SEND_REQUEST **send, iRCCE_RECV_REQUEST **recv)
{
    int result;
    rcce_await((result = iRCCE_test_any(list, send, recv)) != iRCCE_PENDING);
    return result;
}

int iRCCE_test_all(iRCCE_WAIT_LIST *list, int *test)
{
    iRCCE_SEND_REQUEST *send;
    iRCCE_RECV_REQUEST *recv;
    if (!list)
        return rcce_error(DEBUG_COMM, RCCE_ERROR_VAL_UNDEFINED);
    push();
    while (take(list, &send, &recv))
        ;
    if (test)
        *test = !list->first;
    return list->first ? iRCCE_PENDING : iRCCE_SUCCESS;
}

int iRCCE_wait_all(iRCCE_WAIT_LIST *list)
{
    int result;
    rcce_await((result = iRCCE_test_all(list, NULL)) != iRCCE_PENDING);
    return result;
}
