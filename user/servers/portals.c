/* SPDX-License-Identifier: MIT */
/* portals.c - see portals.h. */
#include "portals.h"

#include <amalgam/clusters.h>
#include <string.h>

#define PORTALS 64 /* as many as a kernel has */

/* The portal to each port of each cluster that has read a page. There are few: 16 to a cluster, 64 in all. */
static struct portal {
    uint8_t node, port;
    uint8_t from; /* the port of this cluster */
    unsigned id;
} portals[PORTALS];
static unsigned n_portals;

/* Where there are no more the oldest ones are closed. Returns NULL: it cannot be opened. */
static struct portal *open_portal(unsigned self, unsigned node, unsigned port)
{
    int64_t id = amalgam_portal_open(self, node, port);
    while (id == -AMALGAM_EAGAIN && n_portals) {
        amalgam_portal_close(portals[0].id, AMALGAM_PORTAL_CLOSE_CLOSE);
        memmove(portals, portals + 1, --n_portals * sizeof(*portals));
        id = amalgam_portal_open(self, node, port);
    }
    if (id < 0 || n_portals == PORTALS)
        return NULL;
    int64_t from = amalgam_portal_get_port((unsigned)id);
    portals[n_portals] = (struct portal){ (uint8_t)node, (uint8_t)port, (uint8_t)from, (unsigned)id };
    return &portals[n_portals++];
}

static struct portal *portal_to(unsigned self, unsigned node, unsigned port)
{
    for (struct portal *p = portals; p < portals + n_portals; p++)
        if (p->node == node && p->port == port)
            return p;
    return open_portal(self, node, port);
}

bool portals_send(unsigned self, unsigned node, uint8_t *port, const void *data, size_t n)
{
    const unsigned to = *port;
    for (int again = 0; again < 2; again++) {
        const struct portal *p = portal_to(self, node, to);
        *port = PORTALS_NONE;
        if (!p)
            return false;
        int64_t sent = amalgam_portal_try_write(p->id, data, n);
        if (sent != -AMALGAM_EIO) {
            *port = p->from;
            return !sent;
        }
    }
    return false;
}
