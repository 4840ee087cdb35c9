/* SPDX-License-Identifier: MIT */
/*
 * homes.h - the pages whose home is this cluster: who may have copies, and who has.
 *
 * A page has a slot. A revocation gives the slot another generation first, so nothing is sent or taken by the former
 * one any more; then it says which clusters were sent anything, and have to be told. Who has not answered that is told
 * again by the next revocation, until it answers or is lost. A cluster is sent a token and a proof with its first parts
 * in a generation, which no other one knows: so others may tell it of the end, and pass on that it has unmapped. All
 * functions are called under the server's lock, and none of them waits. Everything in a message is the sender's word,
 * but for the cluster's number.
 */
#ifndef AMALGAM_SERVERS_CAPS_HOMES_H
#define AMALGAM_SERVERS_CAPS_HOMES_H

#include <amalgam/page_server.h>
#include <stdbool.h>

#define HOMES          4u
#define HOMES_CLUSTERS 32u
#define HOMES_SPENT    (~0u) /* the generation after all others: the slot is nobody's any more */

struct home {
    bool used;
    unsigned client; /* whose it is */
    uint32_t generation;
    uint64_t key;
    uint64_t seal; /* drawn for the page: told to who is sent a part of it, who believes its end by that */
    uint8_t granted[HOMES_CLUSTERS]; /* rights in this generation */
    uint32_t sent;                   /* bits: the clusters that were sent a part of it in this generation */
    uint32_t owing;                  /* bits: those that have been told of its end and have not answered */
    uint32_t ending;                 /* bits: of those that the last revocation tells, who has one copy's words alone */
    uint64_t token[HOMES_CLUSTERS];  /* of this generation, by which a holder believes that it is over */
    uint64_t proof[HOMES_CLUSTERS];  /* and which it says when its copies are gone, and never before */
    unsigned char *memory;           /* CAPS_PAGE bytes */
};

struct homes {
    unsigned self, clusters, clients;
    struct home home[HOMES];
    uint64_t (*draw)(void);
    unsigned char former[CAPS_PART]; /* what stood where the last part was taken */
};

/* `memory` has HOMES pages; `draw` returns numbers that nobody guesses. The first generations are drawn, too. */
void homes_begin(struct homes *h, unsigned self, unsigned clusters, unsigned clients, unsigned char *memory,
                 uint64_t (*draw)(void));
/* Returns a slot for a client, its page cleared, or -AMALGAM_ENOMEM: it has its share, or none is free. */
int homes_create(struct homes *h, unsigned client);
/* Returns 0 and the capability in *cap; -AMALGAM_EBADF: the client has no such slot; -AMALGAM_EINVAL: no such cluster
 * or right. */
int homes_grant(struct homes *h, unsigned client, uint32_t slot, uint32_t node, uint32_t rights, struct caps *cap);
/* Change the generation. Returns 0 and in *told (bits) the clusters that have to be told, or -AMALGAM_EBADF. */
int homes_revoke(struct homes *h, unsigned client, uint32_t slot, uint32_t *told);
/* Those that were told (bits) have answered but for the `silent` ones. Returns which have neither answered nor were
 * lost, of all that were ever told of this page. */
uint32_t homes_told(struct homes *h, uint32_t slot, uint32_t silent);
/* Free a slot that was revoked. */
void homes_free(struct homes *h, uint32_t slot);
/* A cluster was lost: its next life has no rights. */
void homes_lost(struct homes *h, unsigned node);
/* Answer a part that is asked for or sent back: `m` becomes the answer. What is sent back is in the page then, so that
 * whoever is told has it. A capability that is over is answered with the slot's generation. Returns false: it is
 * neither of them. */
bool homes_answer(struct homes *h, unsigned node, struct caps_message *m);
/* The last answer was not sent: the page is as before. So a cluster that is found lost by that changes nothing. */
void homes_put_back(struct homes *h, const struct caps_message *answer);

#endif
