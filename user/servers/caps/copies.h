/* SPDX-License-Identifier: MIT */
/*
 * copies.h - the copies of other clusters' pages that processes of this cluster have. As in homes.h all is done under
 * the server's lock.
 *
 * A copy's record is there before its first part is asked for. So a revocation, which comes after the home has sent
 * something, finds it: one that is shown is hidden before that is answered, and one that is still being filled is shown
 * to nobody afterwards (tests/model/caps.pml).
 */
#ifndef AMALGAM_SERVERS_CAPS_COPIES_H
#define AMALGAM_SERVERS_CAPS_COPIES_H

#include <amalgam/page_server.h>
#include <stdbool.h>

#define COPIES 4u

enum copy_state { COPY_FREE, COPY_FILLED, COPY_SHOWN, COPY_ENDED };

struct copy {
    uint8_t state; /* enum copy_state; FILLED: being filled, nobody sees it; ENDED: revoked, its record is a client's */
    unsigned client;
    struct caps cap;
    bool sealed;           /* a part has come, and with it `seal` */
    uint64_t seal;         /* by which its home proves that it is over */
    uint8_t has;           /* bits: the two words below have come. They stay when it is free, until said or used anew */
    uint64_t words[2];     /* token: by which any cluster proves the same; proof: what its home is told then */
    uint32_t handle;       /* SHOWN: the server's own */
    unsigned char *memory; /* CAPS_PAGE bytes */
};

struct copies {
    unsigned clients;
    struct copy copy[COPIES];
};

void copies_begin(struct copies *c, unsigned clients, unsigned char *memory);
/* Returns the number of a new copy, being filled, or -AMALGAM_ENOMEM: the client has its share, or none is free. */
int copies_new(struct copies *c, unsigned client, const struct caps *cap);
/* Returns the client's copy `id`; NULL: it has none. */
struct copy *copies_of(struct copies *c, unsigned client, uint32_t id);
/* Cluster `home` says that a slot has this generation: return in `hide` those that are shown and have to be hidden, and
 * how many. All others of former generations are shown to nobody any more. `seal`: only those that have this one, as
 * any process of that cluster may say so; one of which no part has come gets none any more. NULL: that has been proved.
 */
unsigned copies_revoked(struct copies *c, unsigned home, uint32_t slot, uint32_t generation, const uint64_t *seal,
                        struct copy *hide[COPIES]);
/* A part has come of a slot's page: the answer `m` of cluster `home`. */
void copies_sealed(struct copies *c, unsigned home, const struct caps_message *m);
/* Returns whether a copy of cluster `home`'s slot has, or had, this token; then *proof is its other word. */
bool copies_prove(const struct copies *c, unsigned home, uint32_t slot, uint64_t token, uint64_t *proof);
/* All copies with that token are over, whatever is said of their generation, and those of the same generation with
 * another one, which its home has given before it took this cluster for lost: as copies_revoked(). One that has no
 * token yet was sent at most one part, and gets no other one: its home has another generation. The words are spent: a
 * cluster that was told them has this one tell others once. */
unsigned copies_ended(struct copies *c, unsigned home, uint32_t slot, uint64_t token, struct copy *hide[COPIES]);
/* The same for all slots of a cluster that was lost. */
unsigned copies_lost(struct copies *c, unsigned home, struct copy *hide[COPIES]);

#endif
