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

#include <amalgam/handle.h>
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
    CAPS_ENDED,      /* the same of what was copied with the token `key`, also for other clusters (`children`) */
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
    uint8_t part;     /* of CAPS_ENDED: the slot's home, as another cluster may send it */
    uint8_t children; /* of CAPS_ENDED: how many `data` has, as struct caps_child */
    uint32_t slot, generation;
    /* 0 of CAPS_REVOKED and in an answer but that to CAPS_READ_PART that has data: there it is the receiver's token if
     * the part is even, its proof if the part is odd. Both are drawn for a generation and a cluster */
    uint64_t key;
    /* drawn for each request: who has not received it cannot answer. In the answer to CAPS_ENDED: the receiver's proof,
     * and those of all children, by exclusive or; so nobody says it before all of them have unmapped */
    uint64_t nonce;
    uint64_t seal; /* the page's: in the answer to CAPS_READ_PART that has data, and in CAPS_REVOKED */
    uint8_t data[CAPS_PART];
};
_Static_assert(sizeof(struct caps_message) == 128, "it fills a message");

/* A cluster that the receiver of CAPS_ENDED tells the same. */
struct caps_child {
    uint64_t token;
    uint32_t node, zero;
};
#define CAPS_CHILDREN (CAPS_PART / sizeof(struct caps_child))

/* Returns how many bytes of a page a part has: the last one has fewer. */
static inline size_t amalgam_caps_part_size(unsigned part)
{
    size_t rest = CAPS_PAGE - part * CAPS_PART;
    return rest < CAPS_PART ? rest : CAPS_PART;
}

enum caps_call {
    CAPS_CREATE = 1, /* make a page of zeros whose home is here: `id`, and a handle in the channel */
    CAPS_GRANT,      /* of page `id`, to cluster `node`, with `cap.rights`: `cap` */
    /* page `id` from all clusters; the result is how many have neither answered nor were lost, also of those that it
       was revoked from before */
    CAPS_REVOKE,
    CAPS_TAKE, /* copy what `cap` names: `id`, and a handle in the channel */
    CAPS_GIVE, /* send copy `id` back */
    CAPS_DROP  /* free the copy `id`, or the page, which is revoked first: the result is that one's */
};
/* The memory of a channel. Each end writes its own part only. A process has a number for its life, which it says when
 * it begins, and numbers its requests from 1 on: so the server ends what another life of it had, and no life takes an
 * answer to another one's request for its own. The memory begins as zeros. */
struct caps_request {
    uint32_t life, number;
    uint32_t call; /* enum caps_call */
    uint32_t id, node;
    struct caps cap;
};
struct caps_reply {
    uint32_t life, number; /* of the request */
    int32_t result;
    struct caps cap; /* of CAPS_GRANT */
};
struct caps_channel {
    struct caps_request request;
    struct caps_reply reply;
};

/* A process's first call at a channel, whose memory `c` is, and the first one to the next life of a page server. */
static inline void amalgam_caps_begin(volatile struct caps_channel *c)
{
    uint32_t life = c->request.life + 1;
    c->request.number = 0; /* before the life is said: what the former one asked is nobody's */
    __atomic_store_n(&c->request.life, life + !life, __ATOMIC_RELEASE);
}

/* Ask the page server at the other end of channel `index`. Returns the result: 0 or more, or an error below 0:
 * -AMALGAM_EPIPE: the server has ended, -AMALGAM_EAGAIN: it does not run at the moment. In both cases all pages and
 * copies are lost, and what was asked may be carried out by its next life unless amalgam_caps_begin() comes first. */
static inline int64_t amalgam_caps_ask(uint32_t index, volatile struct caps_channel *c, enum caps_call call)
{
    uint32_t number = c->request.number + 1;
    number += !number;
    c->request.call = call;
    __atomic_store_n(&c->request.number, number, __ATOMIC_RELEASE);
    int64_t err = amalgam_tunnel_notify(index);
    while (!err &&
           (__atomic_load_n(&c->reply.number, __ATOMIC_ACQUIRE) != number || c->reply.life != c->request.life)) {
        err = amalgam_tunnel_wait(index, AMALGAM_NEVER);
        if (err == -AMALGAM_EINTR)
            err = 0;
    }
    return err < 0 ? err : c->reply.result;
}

/* Map what the server has sent through the channel. What it sent to a former life is void, and not mapped. Returns the
 * address, and in *handle what names it; -AMALGAM_EAGAIN: there is none, or it was revoked already; or an error of
 * handle_receive or handle_map. */
static inline int64_t amalgam_caps_map(uint32_t index, unsigned *handle)
{
    for (;;) {
        int64_t h = amalgam_handle_receive(index);
        if (h < 0)
            return h;
        int64_t at = amalgam_handle_map((unsigned)h);
        *handle = (unsigned)h;
        if (at != -AMALGAM_ESTALE)
            return at;
        amalgam_handle_close((unsigned)h);
    }
}

#endif
