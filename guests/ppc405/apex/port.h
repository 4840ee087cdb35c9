/* SPDX-License-Identifier: MIT */
/* port.h - this end's record of a port. All state that decisions rest on is here, never in the tunnel. */
#ifndef APEX_PORT_H
#define APEX_PORT_H

#include "box.h"

struct port {
    const struct apex_port *config;
    volatile struct box *box;
    bool created;
    uint32_t slots;
    uint32_t count;         /* messages written (source) or taken (destination) by this end */
    uint32_t lost;          /* source: dropped for want of room; destination: how many it was told of */
    uint64_t refresh;       /* ns */
    VALIDITY_TYPE validity; /* of the last message read */
};

extern struct port apex_ports[APEX_PORTS];
extern uint32_t apex_n_ports;

/* The port of that kind by its number (from 1), if it was created; NULL: INVALID_PARAM. */
struct port *port_of(int32_t id, bool queuing);
/* The configured port of that name and kind, or -1. */
int32_t port_named(const char *name, bool queuing);
RETURN_CODE_TYPE port_create(const char *name, uint32_t max_message_size, uint32_t max_nb_message,
                             PORT_DIRECTION_TYPE direction, int32_t *id);

#endif
