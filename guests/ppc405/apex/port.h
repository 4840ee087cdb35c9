/* SPDX-License-Identifier: MIT */
/* port.h - this end's record of a port. All decisions are based on this state, never on state in the tunnel. */
#ifndef APEX_PORT_H
#define APEX_PORT_H

#include "box.h"

struct port {
    const struct apex_port *config;
    volatile struct box *box;
    bool created;
    uint32_t slots;
    uint32_t count;         /* messages written (source) or taken (destination) by this end */
    uint32_t lost;          /* source: messages dropped because of a full queue; destination: the last count it read */
    uint64_t refresh;       /* ns */
    VALIDITY_TYPE validity; /* of the last message read */
};

extern struct port apex_ports[APEX_PORTS];
extern uint32_t apex_n_ports;

/* Returns the created port of that kind with that number (from 1 on); NULL: INVALID_PARAM. */
struct port *port_of(int32_t id, bool queuing);
/* Returns the index of the configured port of that name and kind, or -1. */
int32_t port_named(const char *name, bool queuing);
RETURN_CODE_TYPE port_create(const char *name, uint32_t max_message_size, uint32_t max_nb_message,
                             PORT_DIRECTION_TYPE direction, int32_t *id);

#endif
