/* SPDX-License-Identifier: MIT */
/*
 * amalgam/cluster_files.h - what clients and a file server of a many-core say to each other (docs/servers.md).
 *
 * A server has a tree of files for programs of all clusters, and talks 9P2000.L with them. A question of 9P goes in
 * messages of FILES_PART bytes, in order, to port FILES_PORT of the server's cluster: all but the last by FILES_PUT,
 * which has no answer; the last by FILES_ASK, answered as those of name servers are (amalgam/names.h). An answer of 9P
 * that is longer than FILES_PART comes in two: its first FILES_HEAD bytes in the message and, before it, the other ones
 * through a portal of the client's. If that is not possible the client may ask for these by FILES_REST, part by part.
 *
 * Each session of a client has a number, `life`. One begins with a question for life 0, which takes the place of the
 * client's session before. A question for another life than the session's is answered by FILES_LOST and nothing else:
 * the server has begun anew, or has given the session to others. A question has a `tag`, which changes with each: one
 * that comes again is not carried out again, but answered again.
 */
#ifndef AMALGAM_CLUSTER_FILES_H
#define AMALGAM_CLUSTER_FILES_H

#include <stddef.h>
#include <stdint.h>

#define FILES_PORT     5
#define FILES_MAGIC    0x314c4946u /* "FIL1" */
#define FILES_PART     96u
#define FILES_HEAD     11u   /* of an answer to a read: what comes before its data */
#define FILES_DATA     4096u /* of a read or a write, at most */
#define FILES_QUESTION (23u + FILES_DATA)
#define FILES_ANSWER   (FILES_HEAD + FILES_DATA)

enum files_op {
    FILES_PUT = 1,
    FILES_ASK,
    FILES_REST /* of the answer to `tag`, which was answered: up to FILES_PART bytes from `at` on */
};
enum files_result {
    FILES_DONE,
    FILES_LOST,  /* no session of this life is the client's */
    FILES_FULL,  /* life 0: the cluster has its share of sessions */
    FILES_PARTS, /* a part was lost: all are to be sent again */
    FILES_AGAIN, /* the client's cluster has not read what was sent to it before: ask again, by the same tag */
    FILES_WRONG
};

struct files_message {
    uint32_t magic;
    uint8_t op;         /* enum files_op */
    uint8_t reply_port; /* of the sender's cluster */
    uint8_t result;     /* in an answer: enum files_result */
    uint8_t n;          /* bytes in `data` */
    uint32_t nonce;
    uint32_t life;   /* of the session; in an answer: the present one */
    uint64_t client; /* that makes a session this client's, in its cluster */
    uint32_t tag;
    uint16_t at;  /* bytes of the question before these; in an answer: bytes that came through the portal */
    uint8_t port; /* the client's portal; in an answer: the server's, 255 if it has none */
    uint8_t zero;
    uint8_t data[FILES_PART];
};
_Static_assert(sizeof(struct files_message) == 128, "it fits into a message");

/* Where either end has a question of 9P and its answer. The data of a write, and those of a read, begin at a multiple
 * of 8: they are copied by words. */
struct files_room {
    uint8_t to_question[1] __attribute__((aligned(8))), question[FILES_QUESTION];
    uint8_t to_answer[5] __attribute__((aligned(8))), answer[FILES_ANSWER];
};
_Static_assert((offsetof(struct files_room, question) + FILES_QUESTION - FILES_DATA) % 8 == 0 &&
                   (offsetof(struct files_room, answer) + FILES_HEAD) % 8 == 0,
               "data are copied by words");

#endif
