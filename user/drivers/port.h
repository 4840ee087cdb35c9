/* SPDX-License-Identifier: MIT */
/* port.h - a port of the guests' switch (amalgam/port.h) as a network card, for ethernet.h. */
#ifndef AMALGAM_DRIVERS_PORT_H
#define AMALGAM_DRIVERS_PORT_H

#include <amalgam/port.h>
#include <stdbool.h>
#include <string.h>

#define CARD_FRAME 1514u /* bytes of the longest one, without its check sequence */

struct card {
    unsigned handle;
    unsigned lost;      /* stays 0: there is nothing to begin anew */
    uint8_t address[6]; /* its Ethernet address */
};

static inline int64_t card_begin(struct card *c)
{
    (void)c;
    return 0;
}

/* Find the process's port `n`. Returns 0 or an error of the kernel's. */
static inline int64_t card_open(struct card *c, unsigned n)
{
    int64_t found = amalgam_port_open(n);
    if (found < 0)
        return found;
    *c = (struct card){ .handle = (unsigned)found };
    int64_t address = amalgam_port_info(c->handle, AMALGAM_PORT_INFO_ADDRESS);
    for (unsigned i = 0; i < sizeof(c->address); i++)
        c->address[i] = (uint8_t)(address >> 8 * (sizeof(c->address) - 1 - i));
    return 0;
}

/* Send a frame of at most CARD_FRAME bytes. A switch takes each at once. */
static inline bool card_send(struct card *c, const void *frame, size_t n)
{
    amalgam_port_send(c->handle, frame, n);
    return true;
}

/* Take a received frame. Returns its bytes, at most CARD_FRAME, or 0: there is none. One with a VLAN's tag may be
 * longer, and is lost. */
static inline size_t card_take(struct card *c, uint8_t frame[CARD_FRAME])
{
    int64_t n;
    while ((n = amalgam_port_receive(c->handle, frame, CARD_FRAME)) > CARD_FRAME)
        ;
    return n < 0 ? 0 : (size_t)n;
}

/* Wait for a frame. Returns 0 or an error of port_wait(). */
static inline int64_t card_wait(struct card *c, uint64_t deadline) { return amalgam_port_wait(c->handle, deadline); }

#endif
