/* SPDX-License-Identifier: MIT */
/*
 * relay.h - the end of a page, which its home tells some clusters by others (CAPS_ENDED; amalgam/page_server.h).
 *
 * Who is told has the tokens of some other clusters, its children, tells these, and collects their proofs. It is
 * trusted with nothing: it knows a token when its home has revoked, and a child's proof when that one has unmapped, and
 * not before. So it can delay the answer, which its home awaits for a short time, and cannot make it up (tests/model/
 * caps_tree.pml). Each cluster has one question here at a time: a later one takes the place of the one before. All
 * functions are called under the server's lock. Everything in a message is the sender's word.
 */
#ifndef AMALGAM_SERVERS_CAPS_RELAY_H
#define AMALGAM_SERVERS_CAPS_RELAY_H

#include "homes.h"

struct relay {
    bool open;
    uint8_t home;
    uint32_t slot, generation;
    uint32_t awaited; /* bits: the children that have not answered */
    uint64_t sum;     /* of the proofs that are here */
};
struct relays {
    unsigned self, clusters;
    struct relay of[HOMES_CLUSTERS]; /* by who has asked */
};

/* Cluster `asker` has sent `m`; this one's own proof is known. Returns false: the list of children is wrong. */
bool relay_begin(struct relays *r, unsigned asker, const struct caps_message *m, uint64_t proof);
/* Returns the question for child `i` of `m`, whose cluster is *node. */
struct caps_message relay_question(const struct caps_message *m, unsigned i, unsigned *node);
/* A child has answered. Returns who has to be answered now, in *answer; or HOMES_CLUSTERS: nobody. */
unsigned relay_answered(struct relays *r, unsigned node, const struct caps_message *m, struct caps_message *answer);
/* What was asked is `done` here, or it cannot be. Returns whether *answer has to be sent now. */
bool relay_end(struct relays *r, unsigned asker, const struct caps_message *m, bool done, struct caps_message *answer);

#endif
