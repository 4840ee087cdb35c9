/* SPDX-License-Identifier: MIT */
/*
 * amalgam/memory_server.h - what clients and a memory server say to each other (docs/servers.md).
 *
 * A server keeps pages of 4 KiB for programs of other clusters. A request is one message to port MEMORY_PORT of its
 * cluster, answered as those of name servers are (amalgam/names.h). A page that is read comes through a portal of the
 * client's at `port`, before the answer, which says from which port of the server's it has come. A page that is written
 * goes in MEMORY_PARTS messages, of which the last one is answered: a message holds MEMORY_PART bytes of it. So can one
 * be read that cannot be sent.
 *
 * `life` says of which pages of a client a request is: the server draws one, and another one when it has given the
 * pages of a silent client to others. So a page that a client had of a former life of the server, or had until it was
 * silent for too long, is not taken for one that it was given since and that has the same number.
 */
#ifndef AMALGAM_MEMORY_SERVER_H
#define AMALGAM_MEMORY_SERVER_H

#include <stdint.h>

#define MEMORY_PORT  3
#define MEMORY_MAGIC 0x314d454du /* "MEM1" */
#define MEMORY_PAGE  4096u
#define MEMORY_PART  96u
#define MEMORY_PARTS ((MEMORY_PAGE + MEMORY_PART - 1) / MEMORY_PART)

enum memory_op {
    MEMORY_ALLOC = 1, /* `tag`: a number for each; `part`, not 0: asked again, because the answer was lost */
    MEMORY_FREE,      /* `tag` of the answer: how many pages of this life the client has */
    MEMORY_READ,      /* to the client's portal at `port` */
    MEMORY_WRITE,     /* part `part` */
    MEMORY_READ_PART  /* part `part`, in the answer */
};
enum memory_result {
    MEMORY_DONE,
    MEMORY_NONE,  /* the client has no such page */
    MEMORY_FULL,  /* no page is free, or the cluster has its share */
    MEMORY_AGAIN, /* of a read: the client's cluster has not read what was sent to it before */
    MEMORY_WRONG,
    MEMORY_LOST /* the client has no pages of this life: the server has died since, or the client was silent */
};

struct memory_message {
    uint32_t magic;
    uint8_t op;         /* enum memory_op */
    uint8_t reply_port; /* of the sender's cluster */
    uint8_t result;     /* in an answer: enum memory_result */
    uint8_t part;
    uint32_t nonce;
    uint16_t page; /* from 1 on */
    uint8_t port;  /* of a read: the client's portal; in its answer: the server's, 255 if it has none */
    uint8_t zero;
    uint64_t client; /* that makes pages this client's, in its cluster */
    uint64_t life;   /* of its pages: in the answer to MEMORY_ALLOC, and in all other requests */
    union {
        uint64_t tag; /* of MEMORY_ALLOC, and of an answer to MEMORY_FREE */
        uint8_t data[MEMORY_PART];
    };
};
_Static_assert(sizeof(struct memory_message) <= 128, "it fits into a message");

#endif
