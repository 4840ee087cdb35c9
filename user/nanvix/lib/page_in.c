/* SPDX-License-Identifier: MIT */
/* page_in.c - see page_in.h. */
#include "page_in.h"

#include <amalgam/clusters.h>
#include <nanvix/runtime/pm/mailbox.h>
#include <nanvix/sys/noc.h>

#include "nanvix.h"

#define PATIENCE_NS 100000000ull

bool page_in_begin(struct page_in *p)
{
    int64_t id = -AMALGAM_EBUSY;
    unsigned node = (unsigned)knode_get_num();
    if (p->made)
        return true;
    for (p->port = NANVIX_GENERAL_PORTS_BASE; id == -AMALGAM_EBUSY && p->port-- > 0;)
        id = amalgam_portal_create(node, p->port);
    p->made = id >= 0;
    p->id = (unsigned)id;
    return p->made;
}

/* Take what the server has sent from its port `from`: it is there. Ends without it when the server has died, or when
 * one has that had sent from there before, which is said once: the page may still be there then. */
static bool take(const struct page_in *p, int node, unsigned from, void *buf, size_t n)
{
    int64_t result = amalgam_portal_allow(p->id, (unsigned)node, from);
    if (!result)
        result = amalgam_portal_aread(p->id, buf, n);
    while (!result && (result = amalgam_portal_wait(p->id)) == -AMALGAM_EINTR)
        result = 0;
    return !result;
}

/* Take a page whose answer was lost, if it has come. It may not have: then the read goes on into `scratch`. */
static bool drain(struct page_in *p, int node, unsigned from)
{
    int64_t result = 0;
    if (!p->reads_on)
        result = amalgam_portal_allow(p->id, (unsigned)node, from);
    if (!result && !p->reads_on)
        result = amalgam_portal_aread(p->id, p->scratch, PAGE_IN_BYTES);
    nanvix_patience(PATIENCE_NS);
    if (!result)
        result = amalgam_portal_wait(p->id);
    nanvix_patience(0);
    p->reads_on = result == -AMALGAM_EINTR;
    return !result;
}

bool page_in_receive(struct page_in *p, int node, unsigned from, bool sent, void *buf, size_t n, unsigned turn)
{
    if (sent && !p->reads_on) {
        p->lost = !take(p, node, from, buf, n);
        return !p->lost;
    }
    if (sent && drain(p, node, from)) {
        kmemcpy(buf, p->scratch, n);
        return true;
    }
    if (p->lost)
        p->lost = !drain(p, node, from);
    else
        nanvix_relax(turn);
    return false;
}
