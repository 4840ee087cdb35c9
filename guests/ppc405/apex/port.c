/* SPDX-License-Identifier: MIT */
/* port.c - assigns boxes of the tunnels to ports; creates and finds ports. */
#include "port.h"

#define SAMPLING_SLOTS 2

struct port apex_ports[APEX_PORTS];
uint32_t apex_n_ports;

static bool same(const char *a, const char *b)
{
    for (; *a && *a == *b; a++, b++)
        ;
    return *a == *b;
}

/* The boxes of a tunnel follow each other in the order of the list, so both ends compute the same addresses. */
RETURN_CODE_TYPE apex_configure(const struct apex_port *ports, uint32_t n_ports, volatile void *const *tunnels,
                                const uint32_t *sizes, uint32_t n_tunnels)
{
    uint32_t used[APEX_PORTS] = { 0 };

    apex_n_ports = 0;
    if (n_ports > APEX_PORTS || n_tunnels > APEX_PORTS)
        return INVALID_CONFIG;
    for (uint32_t i = 0; i < n_ports; i++) {
        const struct apex_port *c = &ports[i];
        uint32_t slots = c->max_nb_message ? c->max_nb_message : SAMPLING_SLOTS;
        if (c->tunnel >= n_tunnels || !c->max_message_size || c->max_message_size > 0x100000 || slots > 0x1000)
            return INVALID_CONFIG;
        uint64_t bytes = sizeof(struct box) + (uint64_t)slots * slot_bytes(c->max_message_size); /* below 2^33 */
        if (bytes > sizes[c->tunnel] - used[c->tunnel])
            return INVALID_CONFIG;
        apex_ports[i] =
            (struct port){ .config = c,
                           .box = (volatile struct box *)((volatile uint8_t *)tunnels[c->tunnel] + used[c->tunnel]),
                           .slots = slots };
        used[c->tunnel] += (uint32_t)bytes;
    }
    apex_n_ports = n_ports;
    return NO_ERROR;
}

struct port *port_of(int32_t id, bool queuing)
{
    if (id < 1 || (uint32_t)id > apex_n_ports)
        return 0;
    struct port *p = &apex_ports[id - 1];
    return p->created && queuing == (p->config->max_nb_message != 0) ? p : 0;
}

int32_t port_named(const char *name, bool queuing)
{
    for (uint32_t i = 0; i < apex_n_ports; i++)
        if (same(apex_ports[i].config->name, name) && queuing == (apex_ports[i].config->max_nb_message != 0))
            return (int32_t)i;
    return -1;
}

RETURN_CODE_TYPE port_create(const char *name, uint32_t max_message_size, uint32_t max_nb_message,
                             PORT_DIRECTION_TYPE direction, int32_t *id)
{
    int32_t i = port_named(name, max_nb_message != 0);
    if (i < 0)
        return INVALID_CONFIG;
    struct port *p = &apex_ports[i];
    if (p->config->max_message_size != max_message_size || p->config->max_nb_message != max_nb_message ||
        p->config->direction != direction)
        return INVALID_CONFIG;
    if (p->created)
        return NO_ACTION;
    p->created = true;
    if (direction == SOURCE) { /* a guest that restarts continues from the destination's count */
        for (uint32_t s = 0; s < p->slots; s++)
            slot_at(p->box, max_message_size, s)->sequence = 0;
        p->box->written = p->count = max_nb_message ? p->box->taken : 0;
    } else if (max_nb_message)
        p->count = p->box->taken; /* messages that were not taken yet are still read */
    *id = i + 1;
    return NO_ERROR;
}
