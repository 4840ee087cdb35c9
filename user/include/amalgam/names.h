/* SPDX-License-Identifier: MIT */
/*
 * amalgam/names.h - what clients and name servers say to each other (docs/servers.md).
 *
 * A request is one message to port NAMES_PORT of a server's cluster. The answer goes to the port of the sender's
 * cluster that the request names, and repeats the request's `nonce`. A server knows the sender's cluster from its
 * kernel (amalgam_mailbox_receive()), not from the message.
 *
 * A name is at most 63 bytes, padded with zeros. It belongs to a cluster and, in that cluster, to whoever knows the
 * number `client`. It ends NAMES_LEASE_MS after its owner has linked it for the last time: an owner links its names
 * again and again. There may be several servers; they do not know of each other. A client asks all of them, and what a
 * majority says holds.
 */
#ifndef AMALGAM_NAMES_H
#define AMALGAM_NAMES_H

#include <stdbool.h>
#include <stdint.h>

#define NAMES_PORT     2
#define NAMES_MAGIC    0x314d414eu /* "NAM1" */
#define NAMES_MOST     63          /* bytes of a name */
#define NAMES_WORDS    8
#define NAMES_SERVERS  3    /* at most */
#define NAMES_LEASE_MS 2000 /* owners link again within half of it */

enum names_op {
    NAMES_LINK = 1, /* `value`: the sender's cluster. Of a name that the client owns: its lease begins anew */
    NAMES_UNLINK,
    NAMES_LOOKUP
};
enum names_result {
    NAMES_DONE,    /* of NAMES_LOOKUP: `value` is the owner's cluster */
    NAMES_TAKEN,   /* another client owns the name */
    NAMES_UNKNOWN, /* nobody owns it, or of NAMES_UNLINK: not this client */
    NAMES_FULL,    /* the cluster's share of names is used */
    NAMES_WRONG    /* the request is none, or its cluster is not the sender's */
};

struct names_message {
    uint32_t magic;
    uint8_t op;         /* enum names_op; in an answer the same */
    uint8_t reply_port; /* of the sender's cluster */
    uint8_t result;     /* in an answer: enum names_result */
    uint8_t joining; /* in an answer, not 0: the server has begun again and may lack names: its word does not count */
    uint32_t nonce;
    uint32_t value;
    uint64_t client;
    uint64_t name[NAMES_WORDS];
};
_Static_assert(sizeof(struct names_message) == 88, "it fits into a message of 128 bytes");

#endif
