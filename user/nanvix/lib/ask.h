/* SPDX-License-Identifier: MIT */
/*
 * ask.h - questions to servers of other clusters, and their answers (amalgam/names.h, amalgam/memory_server.h). A
 * question is a message to a server's port; its answer comes to a mailbox that this library has.
 *
 * Locks: one question is asked at a time, by whichever thread.
 */
#ifndef AMALGAM_NANVIX_ASK_H
#define AMALGAM_NANVIX_ASK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ASK_MESSAGE     128
#define ASK_PATIENCE_NS 100000000ull
#define ASK_PART_TRIES  3

/* How each question and answer begins. */
struct ask_head {
    uint32_t magic;
    uint8_t op;
    uint8_t reply_port;
    uint8_t result, more;
    uint32_t nonce;
};

/* A server; all but node and port are ask.c's, 0 at first. */
struct ask_server {
    int node;
    unsigned port;
    int out; /* the mailbox to it, plus one */
    uint64_t rests_until;
};

/* Make the mailbox for answers. Returns 0 or a negative error of posix/errno.h. May be called again. */
int ask_begin(void);
/* Ask: the answer takes the question's place. Its head's reply_port and nonce are filled in. Returns false: the server
 * does not answer, and is not asked for a while. */
bool ask(struct ask_server *s, void *message, size_t size);
/* The same without copies, and it is waited for so many nanoseconds. All ASK_MESSAGE bytes of `room` are
 * sent, and whatever has come is there afterwards, also if it is no answer. */
bool ask_in_place(struct ask_server *s, void *room, uint64_t ns);
/* Forget the server's mailbox. */
void ask_close(struct ask_server *s);
/* Send what has no answer; waits for room, but not for long. Returns false: it was not sent. */
bool ask_send(struct ask_server *s, void *message, size_t size);
/* The same for one of many parts: what finds no room in time is sent again, so that a server that takes one a little
 * later costs not the whole. The server may get a part twice. */
static inline bool ask_send_part(struct ask_server *s, void *message, size_t size)
{
    for (unsigned tries = ASK_PART_TRIES; !ask_send(s, message, size);)
        if (!--tries)
            return false;
    return true;
}
/* Returns a number that others cannot guess; on a board without a source of such numbers one that they cannot know. */
uint64_t ask_random(void);
/* Read the list of clusters "0,1,2" in the environment's `name`; without it `usual`. Returns how many it has, at most
 * `most`; 0: it is wrong. */
unsigned ask_list(const char *name, const char *usual, struct ask_server *s, unsigned port, unsigned most);

#endif
