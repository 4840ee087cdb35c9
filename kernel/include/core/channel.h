/* SPDX-License-Identifier: MIT */
/*
 * core/channel.h - where those who offer channels (ipc/) and those whose domains use
 * them (vm/, task/) meet without naming each other.
 *
 * A channel of the system table is a capability of the two domains it names and of
 * nobody else.  The operator can withdraw it and grant it again; a withdrawn one is
 * still known, but reaches nothing.
 */
#ifndef AMALGAM_CORE_CHANNEL_H
#define AMALGAM_CORE_CHANNEL_H

#include <types.h>

struct domain;

/* What can be asked about a channel; the order is that of kernel/api/calls.yaml. */
enum channel_field {
    CHANNEL_PLACE,  /* its number in the system: by it the kind knows where the domain sees the shared memory, */
    CHANNEL_SIZE,   /* bytes */
    CHANNEL_BELL,   /* the same: and which interrupt line is the doorbell */
    CHANNEL_RIGHTS, /* bit 0: it may write; bit 1: its peer may */
    CHANNEL_PEER,   /* its id, or SYS_HOST */
    CHANNEL_GRANTED,
    CHANNEL_FIELDS
};

struct channel_ops {
    /* Another system's table, or none: forget all channels and their memory, take in those of system_table. No domain
     * is there. Boot or thread context. */
    void (*renew)(void);
    /* A domain was created: give it what the table grants. Boot. */
    void (*attach)(struct domain *d);
    /* About the domain's channel `index`, in the order of the table. -ENOENT. */
    s64 (*info)(const struct domain *d, unsigned index, enum channel_field field);
    /* Ring the peer. -ENOENT; -EACCES withdrawn; -EAGAIN the peer does not run. Any context. */
    int (*notify)(const struct domain *d, unsigned index);
    /* The operator's side: withdraw or grant by name. -ENOENT. Thread context. */
    int (*set)(const char *name, bool granted);
};

extern const struct channel_ops *channel_ops; /* NULL: this kernel has no channels */

#endif
