/* SPDX-License-Identifier: MIT */
/* ircce_collective.c - iRCCE's names of RCCE's functions: multicast, barrier, memory of the buffer. */
#include "rcce.h"

int iRCCE_msend(char *buffer, ssize_t size) { return RCCE_send_mcast(buffer, size > 0 ? (size_t)size : 0); }

int iRCCE_mrecv(char *buffer, ssize_t size, int source)
{
    return size || source == iRCCE_ANY_SOURCE ? iRCCE_irecv(buffer, size, source, NULL) : iRCCE_SUCCESS;
}

int iRCCE_mcast(char *buffer, size_t size, int root)
{
    if (!rcce_ue_ok(root))
        return rcce_error(DEBUG_COMM, RCCE_ERROR_ID);
    return rcce.ue == root ? RCCE_send_mcast(buffer, size) : RCCE_recv_mcast(buffer, size, root);
}

int iRCCE_bcast(char *buffer, size_t size, int root, RCCE_COMM comm)
{
    if (!rcce.n || comm.barrier != RCCE_COMM_WORLD.barrier)
        return RCCE_bcast(buffer, size, root, comm);
    return iRCCE_mcast(buffer, size, root);
}

int iRCCE_barrier(RCCE_COMM *comm) { return RCCE_barrier(comm ? comm : &RCCE_COMM_WORLD); }

t_vcharp iRCCE_malloc(size_t size) { return RCCE_malloc(size); }

int iRCCE_put(t_vcharp target, t_vcharp source, int bytes, int ue) { return RCCE_put(target, source, bytes, ue); }

int iRCCE_get(t_vcharp target, t_vcharp source, int bytes, int ue) { return RCCE_get(target, source, bytes, ue); }

void *iRCCE_memcpy_put(void *to, const void *from, size_t n) { return RCCE_memcpy_put(to, from, n); }

void *iRCCE_memcpy_get(void *to, const void *from, size_t n) { return RCCE_memcpy_get(to, from, n); }
