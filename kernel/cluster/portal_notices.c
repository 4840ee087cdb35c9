/* SPDX-License-Identifier: MIT */
/* portal_notices.c - the table of portals, where buffers are, and the data that wait in other clusters' buffers for
 * portals of this one; see portal.h. */
#include "order.h"
#include "portal.h"

struct portal portals[COMM_PORTALS];
const struct comm_table portal_table = { portals, sizeof(portals[0]), COMM_PORTALS };

/* The data in other clusters' buffers for this one. */
static struct notice {
    u32 order; /* 0: none; smaller is older */
    u32 of;    /* as of a message */
    u16 length;
    u8 ports;  /* portal_ports() */
    bool late; /* later data of the same cluster have been read */
} notices[NOC_CLUSTERS][PORTAL_BUFFERS];
static u32 latest;

static size_t buffers_at(void) { return ALIGN_UP(noc_clusters() * sizeof(struct lane_half), (size_t)COMM_PAGE); }
size_t portal_buffer_at(unsigned i) { return buffers_at() + i * (size_t)COMM_PAGE; }

static __noinline unsigned count_buffers(void)
{
    size_t size = noc_outbox_size(), at = buffers_at();
    return at < size ? MIN((unsigned)((size - at) / COMM_PAGE), PORTAL_BUFFERS) : 0;
}

unsigned portal_buffers(void)
{
    static unsigned n; /* 0: not counted, or none */
    return n ?: (n = count_buffers());
}

void portal_done(unsigned node, unsigned buffer)
{
    portal_done_all(node, &(struct dma_page){ .buffer = (u8)buffer }, 1);
}

void portal_done_all(unsigned node, const struct dma_page *page, unsigned n)
{
    struct notice *all = notices[node];
    u32 bits = 0;
    for (const struct dma_page *end = page + n; page != end; page++) {
        all[page->buffer].order = 0;
        bits |= 1u << page->buffer;
    }
    peer_give_back(node, bits);
}

static u8 ports_of(const struct portal *p) { return portal_ports(p->end.port, p->end.own); }

unsigned portal_waiting(struct portal *p, u16 *length)
{
    const struct notice *all = notices[p->end.node], *found = NULL;
    const unsigned n = portal_buffers();
    const u32 of = p->end.of;
    const u8 wanted = ports_of(p);
    unsigned at = PORTAL_NO_BUFFER;
    u32 oldest = ~0u; /* before `order` came to this, all that are kept got the first numbers */
    for (unsigned i = 0; i < n; i++)
        if (all[i].order - 1 < oldest && all[i].ports == wanted && (!of || all[i].of == of)) {
            found = &all[i];
            oldest = found->order - 1;
            at = i;
        }
    if (found) {
        *length = found->length;
        p->end.of = found->of;
    }
    return at;
}

__cold void portal_drop_former(const struct portal *p)
{
    unsigned node = p->end.node;
    for (unsigned i = 0; i < portal_buffers(); i++) {
        const struct notice *n = &notices[node][i];
        if (!n->order || n->ports != ports_of(p) || n->of == p->end.of)
            continue;
        portal_done(node, i);
        lanes_dropped++;
    }
}

/* By insertion: there are few, and mostly in their order. */
unsigned portal_all_waiting(const struct portal *p, struct dma_page *page, unsigned most, bool *others)
{
    const struct notice *all = notices[p->end.node];
    const u8 wanted = ports_of(p);
    const u32 of = p->end.of;
    size_t n = 0, buffers = portal_buffers();
    bool foreign = false;
    u32 newest = 0; /* of those that were found */
    for (size_t i = 0; i < buffers; i++) {
        if (!all[i].order)
            continue;
        if (all[i].ports != wanted || all[i].of != of) {
            foreign = true;
            continue;
        }
        size_t at = n;
        const u32 order = all[i].order;
        if (n && newest > order) {
            for (; at && all[page[at - 1].buffer].order > order; at--)
                if (at < most)
                    page[at] = page[at - 1];
        } else {
            newest = order;
        }
        if (at < most)
            page[at] = (struct dma_page){ .size = all[i].length, .buffer = (u8)i };
        n = MIN(n + 1, (size_t)most);
    }
    *others = foreign;
    return (unsigned)n;
}

bool portal_is_late(unsigned to)
{
    for (unsigned node = 0; node < noc_clusters(); node++)
        for (unsigned i = 0; i < portal_buffers(); i++)
            if (notices[node][i].order && notices[node][i].late && notices[node][i].ports >> 4 == to)
                return true;
    return false;
}

void portal_drop(unsigned to)
{
    for (unsigned node = 0; node < noc_clusters(); node++)
        for (unsigned i = 0; i < portal_buffers(); i++)
            if (notices[node][i].order && notices[node][i].ports >> 4 == to)
                portal_done(node, i);
}

static bool is_read(unsigned port)
{
    for (unsigned i = 0; i < COMM_PORTALS; i++)
        if (portals[i].end.state == COMM_INPUT && portals[i].end.port == port)
            return true;
    return false;
}

void portal_pass(unsigned node, unsigned buffer)
{
    const struct notice read = notices[node][buffer];
    unsigned all = portal_buffers();
    for (unsigned i = 0; i < all; i++) {
        struct notice *n = &notices[node][i];
        if (n->order - 1 >= read.order - 1 || n->late || n->ports == read.ports) /* the last: read before it, or now */
            continue;
        n->late = true;
        if (!is_read(n->ports >> 4))
            portal_done(node, i);
    }
}

/* Returns whether somebody reads that buffer now, and will give it back. */
static bool is_being_read(unsigned node, unsigned buffer)
{
    for (const struct portal *p = portals; p != portals + COMM_PORTALS; p++) {
        if (p->end.state != COMM_INPUT || p->end.node != node)
            continue;
        if (p->longer) {
            for (unsigned i = 0; i < p->longer->job.n; i++)
                if (p->longer->job.page[i].buffer == buffer)
                    return true;
        } else if (p->transfer == PORTAL_TAKING && p->buffer == buffer) {
            return true;
        }
    }
    return false;
}

__cold void portal_want_back(unsigned from, u32 buffers)
{
    for (unsigned i = 0; i < portal_buffers(); i++) {
        if (!(buffers >> i & 1) || !notices[from][i].order || is_being_read(from, i))
            continue;
        portal_done(from, i);
        lanes_dropped++;
    }
}

/* A notice for a buffer that has one already is a lie. */
void portal_note(unsigned from, const struct lane_page *page, unsigned n)
{
    struct notice *all = notices[from];
    const unsigned buffers = portal_buffers();
    for (const struct lane_page *end = page + n; page != end; page++) {
        struct notice *at = &all[page->buffer];
        if (page->buffer >= buffers || at->order)
            continue;
        latest = order_next(latest, &notices[0][0].order, sizeof(notices[0][0]), NOC_CLUSTERS * PORTAL_BUFFERS);
        *at = (struct notice){ .order = latest, .of = page->of, .length = page->length, .ports = page->ports };
    }
}

void portal_forget(unsigned node)
{
    for (unsigned i = 0; i < PORTAL_BUFFERS; i++)
        notices[node][i].order = 0;
}
