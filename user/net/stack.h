/* SPDX-License-Identifier: MIT */
/*
 * stack.h - the network stack of a program: lwIP, which begins at the first call that needs it, with the interfaces
 * that the environment's NET names:
 *
 *     NET = INTERFACE [, INTERFACE]...
 *     INTERFACE = WAY ADDRESS/BITS [core] [via GATEWAY] [dns SERVER] | WAY dhcp
 *     WAY = CHANNEL | port PORT
 *
 * CHANNEL is the index of one of the process's channels, at whose other end a driver or another stack is (frames.h),
 * PORT that of one of its ports of switches. `core` adds the number of the SCC's core to the address. Without NET there
 * is only the loopback.
 */
#ifndef AMALGAM_USER_NET_STACK_H
#define AMALGAM_USER_NET_STACK_H

#include <stdbool.h>
#include <stdint.h>

#include "lwip/ip4_addr.h"
#include "lwip/netif.h"

#define NET_INTERFACES 4

struct net_plan {
    uint32_t channel; /* or port */
    bool port, core, dhcp;
    ip4_addr_t address, mask, gateway, server; /* 0: none */
};

/* Start the stack if it has not been started. A wrong NET is said on the console, and its interface left out. */
void net_start(void);

/* Read NET. Returns how many interfaces it names, with their plans; -1: it is wrong. */
int net_plans(const char *text, struct net_plan plans[NET_INTERFACES]);

/* channel.c, port.c. With the stack's lock: make the interface. Returns whether there is such a channel or port. */
bool net_channel_open(struct netif *interface, const struct net_plan *plan);
bool net_port_open(struct netif *interface, const struct net_plan *plan);
/* Without the lock, afterwards: let frames come. */
void net_channel_begin(struct netif *interface);
void net_port_begin(struct netif *interface);
/* Any thread: how many frames it has sent and received (amalgam/net.h). */
void net_channel_frames(const struct netif *interface, uint32_t *sent, uint32_t *received);
void net_port_frames(const struct netif *interface, uint32_t *sent, uint32_t *received);

/* interface.c. Fill in what all have: its name is c and `kind`. */
void net_interface(struct netif *interface, char kind, const uint8_t address[6], netif_linkoutput_fn send);

#endif
