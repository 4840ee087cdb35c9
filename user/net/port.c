/* SPDX-License-Identifier: MIT */
/*
 * port.c - an interface of the stack: a port of the guests' switch (amalgam/port.h) that the process has itself. One
 * thread takes what comes; whoever sends does so with the stack's lock. There is no link that could be down.
 */
#include <amalgam/port.h>
#include <errno.h>

#include "interface.h"
#include "lwip/sys.h"
#include "lwip/tcpip.h"
#include "stack.h"

#define STACK 16384

static struct port {
    unsigned handle;
    uint32_t sent, received;
    struct netif *interface; /* NULL: it is free */
} ports[NET_INTERFACES];

/* With the stack's lock. No room on the way to another core is ERR_MEM: TCP sends again, other protocols lose the
 * frame.
 */
static err_t send(struct netif *interface, struct pbuf *p)
{
    static uint8_t frame[AMALGAM_PORT_FRAME];
    struct port *port = interface->state;
    size_t n = p->tot_len - ETH_PAD_SIZE;
    if (n > sizeof(frame))
        return ERR_MEM;
    pbuf_copy_partial(p, frame, (u16_t)n, ETH_PAD_SIZE);
    port->sent++;
    int64_t err = amalgam_port_send(port->handle, frame, n);
    return err == -ENOSPC ? ERR_MEM : err ? ERR_IF : ERR_OK;
}

static void taker(void *arg)
{
    struct port *port = arg;
    static uint8_t frames[NET_INTERFACES][AMALGAM_PORT_FRAME];
    uint8_t *frame = frames[port - ports];
    for (;;) {
        int64_t n = amalgam_port_receive(port->handle, frame, AMALGAM_PORT_FRAME);
        if (n > 0) {
            LOCK_TCPIP_CORE();
            port->received++;
            net_received(port->interface, frame, (size_t)n);
            UNLOCK_TCPIP_CORE();
        } else if (n < 0) {
            amalgam_port_wait(port->handle, AMALGAM_NEVER);
        }
    }
}

static err_t prepare(struct netif *interface)
{
    struct port *port = interface->state;
    int64_t said = amalgam_port_info(port->handle, AMALGAM_PORT_INFO_ADDRESS);
    uint8_t address[6];
    for (unsigned i = 0; i < sizeof(address); i++)
        address[i] = (uint8_t)(said >> 8 * (sizeof(address) - 1 - i));
    net_interface(interface, 'p', address, send);
    return ERR_OK;
}

bool net_port_open(struct netif *interface, const struct net_plan *plan)
{
    struct port *port = ports;
    int64_t handle = amalgam_port_open(plan->channel);
    while (port->interface)
        port++;
    if (handle < 0)
        return false;
    *port = (struct port){ .handle = (unsigned)handle, .interface = interface };
    netif_add(interface, &plan->address, &plan->mask, &plan->gateway, port, prepare, tcpip_input);
    netif_set_link_up(interface);
    return true;
}

void net_port_begin(struct netif *interface) { sys_thread_new("port", taker, interface->state, STACK, 0); }

void net_port_frames(const struct netif *interface, uint32_t *sent, uint32_t *received)
{
    const struct port *port = interface->state;
    *sent = __atomic_load_n(&port->sent, __ATOMIC_RELAXED);
    *received = __atomic_load_n(&port->received, __ATOMIC_RELAXED);
}
