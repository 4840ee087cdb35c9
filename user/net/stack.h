/* SPDX-License-Identifier: MIT */
/*
 * stack.h - the network stack of a program: lwIP, which begins at the first call that needs it, with the interfaces
 * that the environment's NET names:
 *
 *     NET = INTERFACE [, INTERFACE]...
 *     INTERFACE = CHANNEL ADDRESS/BITS [via GATEWAY] [dns SERVER] | CHANNEL dhcp
 *
 * CHANNEL is the index of one of the process's channels, at whose other end a driver or another stack is (frames.h).
 * Without NET there is only the loopback.
 */
#ifndef AMALGAM_USER_NET_STACK_H
#define AMALGAM_USER_NET_STACK_H

#include <stdbool.h>
#include <stdint.h>

#include "lwip/ip4_addr.h"

#define NET_INTERFACES 4

struct net_plan {
    uint32_t channel;
    bool dhcp;
    ip4_addr_t address, mask, gateway, server; /* 0: none */
};

/* Start the stack if it has not been started. A wrong NET is said on the console, and its interface left out. */
void net_start(void);

/* Read NET. Returns how many interfaces it names, with their plans; -1: it is wrong. */
int net_plans(const char *text, struct net_plan plans[NET_INTERFACES]);

/* channel.c. With the stack's lock: make the interface. Returns whether there is such a channel. */
struct netif;
bool net_channel_open(struct netif *interface, const struct net_plan *plan);
/* Without the lock, afterwards: let frames come. */
void net_channel_begin(struct netif *interface);

#endif
