/* SPDX-License-Identifier: MIT */
/*
 * main.c - the name server: a process that has the names of all clusters' programs (docs/servers.md).
 *   name [dies=N]
 * It reads one request after the other and answers each at once. What it cannot do without (its port) ends it by a
 * fault, so that `restart: [fault]` starts it again. dies=N: it faults after N requests of its life, for tests.
 */
#include <amalgam/clusters.h>
#include <stdio.h>

#include "../../lib/fastclock.h"
#include "../arguments.h"
#include "../outputs.h"
#include "../random.h"
#include "../requests.h"
#include "table.h"

static struct names_table table;

static bool is_first_life(void)
{
    return amalgam_cluster_info(AMALGAM_CLUSTER_INFO_LIFE) == 1 &&
           amalgam_cluster_info(AMALGAM_CLUSTER_INFO_PROCESS_LIFE) == 1;
}

/* Answer requests until `most` have come, if it is not 0, or the mailbox fails. */
static void serve(unsigned in, unsigned long most)
{
    union {
        struct names_message message;
        unsigned char bytes[REQUESTS_BYTES];
    } m;
    int node;
    for (unsigned long n = 0; (!most || n < most) && (node = requests_receive("name", in, &m)) >= 0; n++)
        if (names_serve(&table, (unsigned)node, &m.message, fastclock()))
            outputs_send((unsigned)node, m.message.reply_port, m.bytes,
                         sizeof(m.bytes)); /* the rest is the sender's own */
}

int main(int argc, char **argv)
{
    int64_t node = amalgam_cluster_info(AMALGAM_CLUSTER_INFO_NODE),
            nodes = amalgam_cluster_info(AMALGAM_CLUSTER_INFO_NODES);
    int64_t in = node < 0 ? node : amalgam_mailbox_create((unsigned)node, NAMES_PORT);
    if (in < 0) {
        printf("name: no mailbox at port %d: error %d\n", NAMES_PORT, (int)-in);
        return 1;
    }
    bool first = is_first_life();
    names_begin(&table, (unsigned)nodes, servers_random(), fastclock(), first);
    printf("name: serves port %d of cluster %d%s\n", NAMES_PORT, (int)node, first ? "" : ", and learns names");
    fflush(stdout);
    serve((unsigned)in, argc == 2 ? arguments_number(argv[1], "dies=", UINT32_MAX) : 0);
    __builtin_trap();
}
