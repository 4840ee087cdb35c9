/* SPDX-License-Identifier: MIT */
/*
 * main.c - the memory server: a process that keeps pages for programs of other clusters (docs/servers.md).
 *   memory PAGES
 * It reads one request after the other and answers each at once. What it cannot do without ends it by a fault, so that
 * `restart: [fault]` starts it again; the pages are lost then.
 */
#include <amalgam/clusters.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../outputs.h"
#include "../requests.h"
#include "pages.h"

#define PORTALS 64

static struct pages pages;
/* The portal to each port of each cluster that has read a page, plus one. There are few: 16 to a cluster, 64 in all. */
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

/* Send a page; m->port becomes the port from which it goes. */
static enum memory_result send_page(unsigned self, unsigned node, struct memory_message *m, const unsigned char *data)
{
    for (int again = 0; again < 2; again++) {
        int64_t id = portal_to(self, node, m->port);
        if (id < 0)
            return MEMORY_AGAIN;
        int64_t port = amalgam_portal_get_port((unsigned)id),
                sent = amalgam_portal_try_write((unsigned)id, data, MEMORY_PAGE);
        if (sent != -AMALGAM_EIO) {
            m->port = (uint8_t)port;
            return sent ? MEMORY_AGAIN : MEMORY_DONE;
        }
    }
    return MEMORY_AGAIN;
}

static void serve(unsigned self, unsigned in)
{
    union {
        struct memory_message message;
        unsigned char bytes[REQUESTS_BYTES];
    } m;
    int from;
    while ((from = requests_receive("memory", in, &m)) >= 0) {
        const unsigned char *data = NULL;
        unsigned node = (unsigned)from;
        int answer = pages_serve(&pages, node, &m.message, amalgam_clock(), &data);
        if (answer == 2)
            m.message.result = (uint8_t)send_page(self, node, &m.message, data);
        if (answer)
            outputs_send(node, m.message.reply_port, &m.message, sizeof(m.message));
    }
}

int main(int argc, char **argv)
{
    int64_t node = amalgam_cluster_info(AMALGAM_CLUSTER_INFO_NODE),
            nodes = amalgam_cluster_info(AMALGAM_CLUSTER_INFO_NODES);
    unsigned long n = argc == 2 ? strtoul(argv[1], NULL, 10) : 0;
    unsigned char *memory = n && n <= PAGES_MOST ? aligned_alloc(MEMORY_PAGE, n * MEMORY_PAGE) : NULL;
    struct page_owner *owner = memory ? calloc(n, sizeof(*owner)) : NULL;
    int64_t in = node < 0 ? node : amalgam_mailbox_create((unsigned)node, MEMORY_PORT);
    if (in < 0 || !owner) {
        printf("memory: %s\n", owner ? "no mailbox at its port" : "memory PAGES: no room for so many");
        return 1;
    }
    pages_begin(&pages, (unsigned)n, memory, owner, (unsigned)nodes);
    printf("memory: serves %lu pages at port %d of cluster %d\n", n, MEMORY_PORT, (int)node);
    fflush(stdout);
    serve((unsigned)node, (unsigned)in);
    __builtin_trap();
}
