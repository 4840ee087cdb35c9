/* SPDX-License-Identifier: MIT */
/* hooks.h - what lwIP asks the port for while it works. */
#ifndef AMALGAM_NET_HOOKS_H
#define AMALGAM_NET_HOOKS_H

#include "lwip/ip_addr.h"
#include "lwip/pbuf.h"

struct tcp_pcb;
struct tcp_hdr;

/* Returns a connection's first sequence number (random.c). */
u32_t net_first_number(const ip_addr_t *own, u16_t own_port, const ip_addr_t *other, u16_t other_port);

/* A segment comes for a connection, or for a listening one (segment.c). Returns ERR_OK: it is taken. */
err_t net_segment(struct tcp_pcb *c, const struct tcp_hdr *header, const struct pbuf *data);
#define LWIP_HOOK_TCP_INPACKET_PCB(c, header, options, first, second, data) net_segment(c, header, data)

#endif
