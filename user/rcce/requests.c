/* SPDX-License-Identifier: MIT */
/* requests.c - RCCE's own requests. They are iRCCE's, with RCCE's numbers for pending, reserved and rejected. */
#include <iRCCE.h>

#undef RCCE_isend
#undef RCCE_isend_test
#undef RCCE_isend_wait
#undef RCCE_isend_push
#undef RCCE_irecv
#undef RCCE_irecv_test
#undef RCCE_irecv_wait
#undef RCCE_irecv_push

static int number(int result)
{
    switch (result) {
    case iRCCE_PENDING: return RCCE_PENDING;
    case iRCCE_RESERVED: return RCCE_RESERVED;
    case iRCCE_ERROR:
    case iRCCE_NOT_ENQUEUED: return RCCE_REJECTED;
    default: return result;
    }
}

int RCCE_isend(char *buffer, size_t size, int dest, RCCE_SEND_REQUEST *request)
{
    return number(iRCCE_isend(buffer, (ssize_t)size, dest, request));
}

int RCCE_isend_test(RCCE_SEND_REQUEST *request, int *test) { return number(iRCCE_isend_test(request, test)); }

int RCCE_isend_wait(RCCE_SEND_REQUEST *request) { return number(iRCCE_isend_wait(request)); }

int RCCE_isend_push(int dest)
{
    (void)dest;
    return number(iRCCE_isend_push());
}

/* Unlike iRCCE's, it has no wildcard for the size. */
int RCCE_irecv(char *buffer, size_t size, int source, RCCE_RECV_REQUEST *request)
{
    if ((ssize_t)size < 0 || source < 0)
        return source < 0 ? RCCE_ERROR_ID : RCCE_ERROR_MESSAGE_LENGTH;
    return number(iRCCE_irecv(buffer, (ssize_t)size, source, request));
}

int RCCE_irecv_test(RCCE_RECV_REQUEST *request, int *test) { return number(iRCCE_irecv_test(request, test)); }

int RCCE_irecv_wait(RCCE_RECV_REQUEST *request) { return number(iRCCE_irecv_wait(request)); }

int RCCE_irecv_push(int source)
{
    (void)source;
    return number(iRCCE_irecv_push());
}
