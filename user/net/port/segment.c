/* SPDX-License-Identifier: MIT */
/*
 * segment.c - a look at each segment of TCP before lwIP has it.
 *
 * lwIP 2.1.3 acknowledges each segment outside of its window (tcp_receive()), and takes one without data for outside if
 * the window is 0, although RFC 9293, 3.10.7.4, has the next number inside. So two ends whose windows are both 0 answer
 * each other's acknowledgements without end; in the loopback that is one loop with the stack's lock. A window of one
 * byte that nobody was told of ends it.
 */
#include "hooks.h"
#include "lwip/priv/tcp_priv.h"

err_t net_segment(struct tcp_pcb *c, const struct tcp_hdr *header, const struct pbuf *data)
{
    if (c->state >= ESTABLISHED && c->state != TIME_WAIT && !c->rcv_wnd && !data->tot_len &&
        header->seqno == c->rcv_nxt)
        c->rcv_wnd = 1;
    return ERR_OK;
}
