/* SPDX-License-Identifier: MIT */
/*
 * ask.h - what a page server says to others, and how it waits for their answers.
 *
 * One lock guards all that the server has. Who waits for an answer lets it go, so that other clusters are answered
 * meanwhile, and others of its own clients ask; what the caller has looked at before may have changed then. The thread
 * of each client asks one question at a time. A wait ends with the answer, with the loss of the cluster, or after
 * ASK_LIMIT, whatever the cluster does.
 */
#ifndef AMALGAM_SERVERS_CAPS_ASK_H
#define AMALGAM_SERVERS_CAPS_ASK_H

#include <amalgam/clusters.h>
#include <amalgam/page_server.h>
#include <stdbool.h>

#define ASK_CLIENTS 8u
#define ASK_LIMIT   4000000000ull /* ns */

/* `lost` is called, with the lock, for a cluster that was lost: its next life knows nothing of what was said. */
void ask_begin(uint64_t (*draw)(void), void (*lost)(unsigned node));
void ask_lock(void);
void ask_unlock(void);

/* All others with the lock. */

/* From now on the cluster's loss is noticed by ask_send(); an earlier one is by this. Returns 0 or an error. */
int64_t ask_meet(unsigned node);
/* Send a message, and wait for nothing. Returns 0 or an error: then nothing was sent. */
int64_t ask_send(unsigned node, const struct caps_message *m);
/* An answer has come. Returns whether it was awaited. */
bool ask_answered(unsigned node, const struct caps_message *m);
/* Ask for one part, or send it; *m becomes the answer. Returns 0; -AMALGAM_EIO: the cluster was lost;
 * -AMALGAM_ETIMEDOUT: it has not answered in ASK_LIMIT, or not before `end`. Lets the lock go meanwhile. */
int64_t ask_part(unsigned client, unsigned node, struct caps_message *m, uint64_t end);
/* Tell clusters (bits) that their copies of a slot of this cluster, `self`, are over: some of them by others, each of
 * which answers for itself and for those. Returns (bits) those of which no proof came in a short time; nothing is known
 * of them. Lets the lock go, but not before all is sent: `tokens` and `proofs` may change then. */
uint32_t ask_ended(unsigned client, unsigned self, uint32_t slot, uint32_t generation, const uint64_t *tokens,
                   const uint64_t *proofs, uint32_t nodes);
/* Tell clusters (bits) that a slot has another generation, and wait for them. Returns (bits) those that have neither
 * answered nor were lost. Lets the lock go meanwhile. */
uint32_t ask_revoked(unsigned client, uint32_t slot, uint32_t generation, uint64_t seal, uint32_t nodes);

#endif
