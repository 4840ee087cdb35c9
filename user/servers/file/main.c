/* SPDX-License-Identifier: MIT */
/*
 * main.c - the file server of a many-core: a process whose files, which the system file gives it, programs of all
 * clusters read and change (docs/servers.md).
 *   file [quota=KIB] [read-only] [dies=N]
 * quota: what files made by one cluster may take, 64 without it. It reads one message after the other and answers each
 * at once. What it cannot do without ends it by a fault, so that `restart: [fault]` starts it again; what was changed
 * is lost then. dies=N: it faults after N messages of its life, for tests.
 */
#include <amalgam/clusters.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../lib/clock.h"
#include "../../lib/fastclock.h"
#include "../../lib/files.h"
#include "../arguments.h"
#include "../outputs.h"
#include "../portals.h"
#include "../random.h"
#include "../requests.h"
#include "sessions.h"

#define QUOTA_MOST (64u << 10) /* KiB */
#define DIES_MOST  (1u << 30)

struct options {
    unsigned quota, dies;
    bool read_only;
};

static struct sessions sessions;
static struct fs fs;
static uint64_t epoch; /* when amalgam_clock() was 0 */

static uint64_t now(void) { return amalgam_clock() + epoch; }

/* Returns the first argument that is wrong, or NULL. */
static const char *read_options(int argc, char **argv, struct options *o)
{
    for (int i = 1; i < argc; i++) {
        unsigned quota = arguments_number(argv[i], "quota=", QUOTA_MOST),
                 dies = arguments_number(argv[i], "dies=", DIES_MOST);
        bool read_only = !strcmp(argv[i], "read-only");
        if (!quota && !dies && !read_only)
            return argv[i];
        o->quota = quota ? quota : o->quota;
        o->dies = dies ? dies : o->dies;
        o->read_only |= read_only;
    }
    return NULL;
}

/* Say the first of what clients do not see, or not whose it is; the others are only counted. */
static int tell(unsigned node)
{
    static bool refused, dropped;
    if (sessions.refused && !refused)
        printf("file: cluster %u: a question was refused, which was wrong or for more sessions than a cluster has\n",
               node);
    if (outputs_dropped && !dropped)
        printf("file: cluster %u: an answer was dropped, which nobody took\n", node);
    refused |= sessions.refused > 0;
    dropped |= outputs_dropped > 0;
    fflush(stdout);
    return refused + dropped;
}

/* Take messages until `most` have come, if it is not 0, or the mailbox fails. */
static void serve(unsigned self, unsigned in, unsigned most)
{
    union {
        struct files_message message;
        unsigned char bytes[REQUESTS_BYTES];
    } m;
    int from, told = 0;
    for (unsigned n = 0; (!most || n < most) && (from = requests_receive("file", in, &m)) >= 0; n++) {
        const uint8_t *data;
        unsigned node = (unsigned)from;
        bool answers = sessions_serve(&sessions, node, &m.message, fastclock(), &data);
        if (answers && m.message.at && !portals_send(self, node, &m.message.port, data, m.message.at))
            m.message.result = FILES_AGAIN;
        if (answers)
            outputs_send(node, m.message.reply_port, &m.message, sizeof(m.message));
        if (!!sessions.refused + !!outputs_dropped > told)
            told = tell(node);
    }
}

int main(int argc, char **argv)
{
    struct options o = { .quota = 64 };
    const char *wrong = read_options(argc, argv, &o);
    if (wrong) {
        printf("file: \"%s\" is no argument\n", wrong);
        return 1;
    }
    int64_t node = amalgam_cluster_info(AMALGAM_CLUSTER_INFO_NODE),
            nodes = amalgam_cluster_info(AMALGAM_CLUSTER_INFO_NODES);
    int64_t in = node < 0 ? node : amalgam_mailbox_create((unsigned)node, FILES_PORT);
    struct session *memory =
        nodes > 0 && nodes <= SESSIONS_CLUSTERS ? calloc((size_t)nodes * SESSIONS_EACH, sizeof(*memory)) : NULL;
    epoch = clock_epoch();
    if (in < 0 || !memory || fs_begin(&fs, &program_files, now)) {
        printf("file: %s\n", in < 0 ? "no mailbox at its port" : "no room for the files and all clusters' sessions");
        return 1;
    }
    sessions_begin(&sessions, &fs, memory, (unsigned)nodes, (uint32_t)servers_random(), (uint64_t)o.quota << 10,
                   o.read_only);
    void *quotas = malloc((size_t)nodes * (o.quota << 10)); /* all of them used up at once */
    if (!quotas)
        printf("file: no memory for what %u KiB of each cluster may become: one may take what another could have\n",
               o.quota);
    free(quotas);
    printf("file: serves port %d of cluster %d\n", FILES_PORT, (int)node);
    fflush(stdout);
    serve((unsigned)node, (unsigned)in, o.dies);
    __builtin_trap();
}
