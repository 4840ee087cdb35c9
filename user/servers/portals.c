/* SPDX-License-Identifier: MIT */
/* portals.c - see portals.h. */
#include "portals.h"

#include <amalgam/clusters.h>
#include <string.h>

#define PORTALS 64

/* The portal to each port of each cluster that has read a page. There are few: 16 to a cluster, 64 in all. */
static struct {
    uint8_t node, port;
    int id;
} portals[PORTALS];
static unsigned n_portals;

/* Returns the portal to a port of a cluster, or an error. Where there are no more the oldest ones are closed. */
static int64_t portal_to(unsigned self, unsigned node, unsigned port)
{
    for (unsigned i = 0; i < n_portals; i++)
        if (portals[i].node == node && portals[i].port == port)
            return portals[i].id;
    int64_t id = amalgam_portal_open(self, node, port);
    while (id == -AMALGAM_EAGAIN && n_portals) {
        amalgam_portal_close((unsigned)portals[0].id, AMALGAM_PORTAL_CLOSE_CLOSE);
        memmove(portals, portals + 1, --n_portals * sizeof(*portals));
        id = amalgam_portal_open(self, node, port);
    }
    if (id >= 0 && n_portals < PORTALS) {
        portals[n_portals].node = (uint8_t)node;
        portals[n_portals].port = (uint8_t)port;
        portals[n_portals++].id = (int)id;
    }
    return id;
}

bool portals_send(unsigned self, unsigned node, uint8_t *port, const void *data, size_t n)
{
    const unsigned to = *port;
    for (int again = 0; again < 2; again++) {
        int64_t id = portal_to(self, node, to);
        *port = PORTALS_NONE;
        if (id < 0)
            return false;
        int64_t from = amalgam_portal_get_port((unsigned)id), sent = amalgam_portal_try_write((unsigned)id, data, n);
        if (sent != -AMALGAM_EIO) {
            *port = (uint8_t)from;
            return !sent;
        }
    }
    return false;
}
