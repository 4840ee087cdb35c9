/* SPDX-License-Identifier: MIT */
/*
 * core/channel.h - the contract between the component that implements channels (ipc/) and the components whose domains
 * use them (vm/, task/), so that neither names the other.
 *
 * A channel of the system table is a capability of the two domains that it names and of no other domain. The operator
 * can withdraw it and grant it again. A withdrawn channel keeps its number and its fields, but its memory and its
 * doorbell do not work.
 */
#ifndef AMALGAM_CORE_CHANNEL_H
#define AMALGAM_CORE_CHANNEL_H

#include <types.h>

struct domain;

/* The fields of a channel, in the order of kernel/api/calls.yaml. */
enum channel_field {
    /* the channel's number in the system; the kind of the domain derives the address of the shared memory from it */
    CHANNEL_PLACE,
    CHANNEL_SIZE,   /* bytes */
    CHANNEL_BELL,   /* the same number; the kind derives the interrupt line of the doorbell from it */
    CHANNEL_RIGHTS, /* bit 0: the domain may write; bit 1: its peer may write */
    CHANNEL_PEER,   /* the peer's domain id, or SYS_HOST */
    CHANNEL_GRANTED,
    CHANNEL_RUNNING, /* the peer runs; the Linux above always does */
    CHANNEL_FIELDS
};

struct channel_ops {
    /* Forget all channels and their memory, then read the channels of system_table (none if it is NULL). No domain
     * exists. Boot or thread context. */
    void (*renew)(void);
    /* Give a new domain the channels that the table grants it. Boot. */
    void (*attach)(struct domain *d);
    /* Return a field of the domain's channel `index`, in the order of the table, or -ENOENT. */
    s64 (*info)(const struct domain *d, unsigned index, enum channel_field field);
    /* Ring the peer's doorbell. Returns 0, -ENOENT, -EACCES if the channel is withdrawn, -EAGAIN if the peer does not
     * run. Any context. */
    int (*notify)(const struct domain *d, unsigned index);
    /* The same for the channel with number `number` in the system, one of the domain's; never -ENOENT. */
    int (*ring)(const struct domain *d, unsigned number);
    /* Tell the other ends of the domain's channels that the domain has ended. Thread context, no lock held; the caller
     * calls sched_poll() or thread_exit() next. */
    void (*ended)(const struct domain *d);
    /* Withdraw or grant a channel by its name, for the operator. Returns 0 or -ENOENT. Thread context. */
    int (*set)(const char *name, bool granted);
};

extern const struct channel_ops *channel_ops; /* NULL: this kernel has no channels */

#endif
