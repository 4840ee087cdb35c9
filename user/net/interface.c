/* SPDX-License-Identifier: MIT */
/* interface.c - what the stack's interfaces have in common, whatever their frames come by (stack.h). */
#include <string.h>

#include "lwip/etharp.h"
#include "lwip/ethip6.h"
#include "lwip/snmp.h"
#include "stack.h"

#define MTU 1500

void net_interface(struct netif *interface, char kind, const uint8_t address[6], netif_linkoutput_fn send)
{
    memcpy(interface->hwaddr, address, 6);
    interface->hwaddr_len = 6;
    interface->name[0] = 'c';
    interface->name[1] = kind;
    interface->mtu = MTU;
    interface->flags = NETIF_FLAG_BROADCAST | NETIF_FLAG_ETHARP | NETIF_FLAG_ETHERNET | NETIF_FLAG_MLD6;
    interface->output = etharp_output;
    interface->output_ip6 = ethip6_output;
    interface->linkoutput = send;
}
