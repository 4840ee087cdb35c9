/* SPDX-License-Identifier: MIT */
/* remotecaps.h - what the programs of remotecaps.c and forgedcaps.c tell each other, by mailboxes. Those of dyingcaps.c
 * send words of their own. */
#ifndef AMALGAM_PROGRAMS_REMOTECAPS_H
#define AMALGAM_PROGRAMS_REMOTECAPS_H

#include <amalgam/clusters.h>
#include <amalgam/page_server.h>

#include "../../../user/programs/must.h"

#define FORMER 6  /* generations of a forgetful home */
#define PORT   12 /* of these programs */

struct words {
    struct caps now, before; /* the second was revoked */
    uint32_t round, from;
};

static unsigned self, in;

static inline void send(unsigned node, unsigned port, const void *data, size_t n)
{
    int64_t out = RESULT(amalgam_mailbox_open(node, port)), err;
    while ((err = amalgam_mailbox_write((unsigned)out, data, n)) == -AMALGAM_ETIMEDOUT || err == -AMALGAM_EIO)
        ;
    RESULT(err);
    RESULT(amalgam_mailbox_close((unsigned)out, AMALGAM_MAILBOX_CLOSE_CLOSE));
}

static inline struct words receive(void)
{
    union {
        struct words words;
        unsigned char bytes[128];
    } m;
    RESULT(amalgam_mailbox_receive(in, &m, sizeof(m)));
    return m.words;
}

/* Know this cluster's number, and have a mailbox for words. */
static inline void open_mail(void)
{
    self = (unsigned)RESULT(amalgam_cluster_info(AMALGAM_CLUSTER_INFO_NODE));
    in = (unsigned)RESULT(amalgam_mailbox_create(self, PORT));
}

#endif
