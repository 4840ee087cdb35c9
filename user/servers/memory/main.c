/* SPDX-License-Identifier: MIT */
/*
 * main.c - the memory server: a process that keeps pages for programs of other clusters (docs/servers.md).
 *   memory PAGES [dies=N]
 * It reads one request after the other and answers each at once. What it cannot do without ends it by a fault, so that
 * `restart: [fault]` starts it again; the pages are lost then. dies=N: it faults after N messages of its life, for
 * tests.
 */
#include <amalgam/clusters.h>
#include <stdio.h>
#include <stdlib.h>

#include "../../lib/fastclock.h"
#include "../arguments.h"
#include "../outputs.h"
#include "../portals.h"
#include "../random.h"
#include "../requests.h"
#include "pages.h"

static struct pages pages;

/* Answer requests until `most` have come, if it is not 0, or the mailbox fails. */
static void serve(unsigned self, unsigned in, unsigned long most)
{
    union {
        struct memory_message message;
        unsigned char bytes[REQUESTS_BYTES];
    } m;
    int from;
    for (unsigned long n = 0; (!most || n < most) && (from = requests_receive("memory", in, &m)) >= 0; n++) {
        const unsigned char *data = NULL;
        unsigned node = (unsigned)from;
        int answer = pages_serve(&pages, node, &m.message, fastclock(), &data);
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
    unsigned long n = argc == 2 || argc == 3 ? strtoul(argv[1], NULL, 10) : 0;
    unsigned dies = argc == 3 ? arguments_number(argv[2], "dies=", UINT32_MAX) : 0;
    unsigned char *memory = n && n <= PAGES_MOST ? aligned_alloc(MEMORY_PAGE, n * MEMORY_PAGE) : NULL;
    struct page_owner *owner = memory ? calloc(n, sizeof(*owner)) : NULL;
    int64_t in = node < 0 ? node : amalgam_mailbox_create((unsigned)node, MEMORY_PORT);
    if (in < 0 || !owner || (argc == 3 && !dies)) {
        printf("memory: %s\n", in < 0  ? "no mailbox at its port"
                               : owner ? "memory PAGES [dies=N]"
                                       : "memory PAGES: no room for so many");
        return 1;
    }
    pages_begin(&pages, (unsigned)n, memory, owner, (unsigned)nodes, servers_random());
    printf("memory: serves %lu pages at port %d of cluster %d\n", n, MEMORY_PORT, (int)node);
    fflush(stdout);
    serve((unsigned)node, (unsigned)in, dies);
    __builtin_trap();
}
