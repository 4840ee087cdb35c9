/* SPDX-License-Identifier: MIT */
/* page_in.c - see page_in.h. */
#include "page_in.h"

#include <amalgam/clusters.h>
#include <nanvix/runtime/pm/mailbox.h>
#include <nanvix/sys/noc.h>

#include "../../lib/fastclock.h"
#include "nanvix.h"

#define PATIENCE_NS 100000000ull
#define LATE_NS     20000000ull
#define SOON_NS     1000000ull
#define SHORT_NS    1000ull /* the shortest sleep; the longest is this << LONGEST */
#define LONGEST     10u

bool page_in_begin(struct page_in *p)
{
    int64_t id = -AMALGAM_EBUSY;
    unsigned node = (unsigned)knode_get_num();
    if (p->made)
        return true;
    for (p->port = NANVIX_GENERAL_PORTS_BASE; id == -AMALGAM_EBUSY && p->port-- > 0;)
        id = amalgam_portal_create(node, p->port);
    p->made = p->lost = id >= 0;
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

/* Go on with the read into `scratch`. Returns whether a page is there now. */
static bool read_on(struct page_in *p)
{
    uint64_t until = fastclock() + PATIENCE_NS;
    int64_t result;
    nanvix_patience(PATIENCE_NS);
    do
        result = amalgam_portal_wait(p->id);
    while (result == -AMALGAM_EINTR && fastclock() < until);
    nanvix_patience(0);
    p->reads_on = result == -AMALGAM_EINTR;
    return !result;
}

/* Take a page that nobody waits for, if it has come. It may not have: then the read goes on into `scratch`. */
static void drain(struct page_in *p, int node, unsigned from)
{
    if (!p->reads_on) {
        if (amalgam_portal_allow(p->id, (unsigned)node, from) || amalgam_portal_aread(p->id, p->scratch, PAGE_IN_BYTES))
            return;
        p->node = node;
        p->from = from;
    }
    read_on(p);
}

/* Returns whether the page that was sent is in `buf`. */
static bool receive(struct page_in *p, int node, unsigned from, void *buf, size_t n)
{
    if (p->reads_on) {
        bool comes_there = p->node == node && p->from == from, here = read_on(p);
        if (here && comes_there)
            kmemcpy(buf, p->scratch, n);
        if (comes_there || p->reads_on) {
            p->lost = !here;
            return here;
        }
    }
    p->lost = !take(p, node, from, buf, n);
    return !p->lost;
}

enum page_in_result page_in_receive(struct page_in *p, int node, unsigned from, bool sent, void *buf, size_t n,
                                    unsigned turn)
{
    if (sent && receive(p, node, from, buf, n)) {
        p->late = false;
        return PAGE_IN_HERE;
    }
    if (!turn)
        p->until = amalgam_clock() + (p->late ? SOON_NS : LATE_NS);
    if (!sent && p->lost) {
        p->lost = false;
        drain(p, node, from);
    } else {
        amalgam_sleep_until(amalgam_clock() + (SHORT_NS << (turn < LONGEST ? turn : LONGEST)));
    }
    if (amalgam_clock() < p->until)
        return PAGE_IN_AGAIN;
    p->lost |= !p->late; /* look once more, with the next question */
    p->late = true;
    return PAGE_IN_LATE;
}
