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

#include "../outputs.h"
#include "../portals.h"
#include "../requests.h"
#include "pages.h"

static struct pages pages;

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
            m.message.result =
                portals_send(self, node, &m.message.port, data, MEMORY_PAGE) ? MEMORY_DONE : MEMORY_AGAIN;
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
