/* SPDX-License-Identifier: MIT */
/* interface.h - what comes by an interface of the stack's (stack.h). */
#ifndef AMALGAM_USER_NET_INTERFACE_H
#define AMALGAM_USER_NET_INTERFACE_H

#include "lwip/pbuf.h"
#include "netif/ethernet.h"
#include "stack.h"

/* With the stack's lock: let the stack have a copy of the frame. */
static inline void net_received(struct netif *interface, const uint8_t *frame, size_t n)
{
    struct pbuf *p = pbuf_alloc(PBUF_RAW, (u16_t)(n + ETH_PAD_SIZE), PBUF_POOL);
    if (!p)
        return; /* no memory: the frame is lost */
    pbuf_take_at(p, frame, (u16_t)n, ETH_PAD_SIZE);
    if (ethernet_input(p, interface) != ERR_OK)
        pbuf_free(p);
}

#endif
