/* SPDX-License-Identifier: MIT */
/*
 * amalgam/page_server.h - page capabilities between clusters: what page servers say to each other, and what a process
 * says to its cluster's (docs/servers.md).
 *
 * Each cluster has a page server, which owns the frames: of pages whose home is here, and of copies of others'. A
 * process has a channel to it, and gets handles (amalgam/handle.h), so what its page server closes is unmapped,
 * whatever the process does.
 */
#ifndef AMALGAM_PAGE_SERVER_H
#define AMALGAM_PAGE_SERVER_H

#include <amalgam/tunnel.h>

#define CAPS_PORT  11
#define CAPS_MAGIC 0x31504143u /* "CAP1" */
#define CAPS_PAGE  4096u
#define CAPS_PART  88u
#define CAPS_PARTS ((CAPS_PAGE + CAPS_PART - 1) / CAPS_PART)

#define CAPS_READ  1u /* to be sent a copy */
#define CAPS_WRITE 2u /* to send one back */

/* A capability. It is good for the clusters to which its home has granted it, and for nobody who only knows its words.
 */
struct caps {
    uint32_t home, slot, generation, rights;
    uint64_t key; /* drawn for the generation */
};

/* Between page servers: one message, answered by one with CAPS_ANSWER and the same nonce. */
enum caps_op {
    CAPS_NOTHING,    /* not answered: who sends it learns whether the receiver was lost since it last sent one */
    CAPS_READ_PART,  /* answered with `data` */
    CAPS_WRITE_PART, /* of `data` */
    CAPS_REVOKED,    /* `generation` is the slot's now, and whatever else was copied of it has to go */
    CAPS_ANSWER = 0x80
};
enum caps_result {
    CAPS_DONE,
    CAPS_STALE,   /* it was revoked: `generation` is the slot's now */
    CAPS_REFUSED, /* the cluster has no such right */
    CAPS_WRONG    /* there is no such slot or part */
};
struct caps_message {
    uint32_t magic;
    uint8_t op; /* enum caps_op */
    uint8_t result;
    uint8_t part, zero;
    uint32_t slot, generation;
    uint64_t key;   /* 0 in an answer, and of CAPS_REVOKED */
    uint64_t nonce; /* drawn for each request: who has not received it cannot answer */
    uint64_t unused;
    uint8_t data[CAPS_PART];
};
_Static_assert(sizeof(struct caps_message) == 128, "it fills a message");

/* In the memory of a channel: a request of the process's, which rings then, and its answer. */
enum caps_call {
    CAPS_CREATE = 1, /* make a page of zeros whose home is here: `id`, and a handle in the channel */
    CAPS_GRANT,      /* of page `id`, to cluster `node`, with `cap.rights`: `cap` */
    CAPS_REVOKE,     /* page `id` from all clusters; the result is how many have neither answered nor were lost, also of
                      * those that it was revoked from before */
    CAPS_TAKE,       /* copy what `cap` names: `id`, and a handle in the channel */
    CAPS_GIVE,       /* send copy `id` back */
    CAPS_DROP        /* free the copy `id`, or the page, which is revoked first: the result is that one's */
};
struct caps_request {
    uint32_t call; /* enum caps_call */
    int32_t result;
    uint32_t id, node;
    struct caps cap;
};

/* Ask the page server at the other end of channel `index`, whose memory `r` is. Returns the result: 0 or more, or an
 * error below 0. */
static inline int64_t amalgam_caps_ask(uint32_t index, volatile struct caps_request *r, enum caps_call call)
{
    r->call = call;
    int64_t err = amalgam_tunnel_notify(index);
    while (!err && (err = amalgam_tunnel_wait(index, AMALGAM_NEVER)) == -AMALGAM_EINTR)
        err = 0;
    return err < 0 ? err : r->result;
}

#endif
