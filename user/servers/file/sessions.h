/* SPDX-License-Identifier: MIT */
/*
 * sessions.h - the clients of a file server and their sessions of 9P (user/p9/server.h), without a way to hear or to
 * say anything: main.c has that.
 *
 * Nothing here trusts a message. A session is its client's: of a cluster, and there of who knows the number. A cluster
 * has its share of sessions and an account of its own, which pays for what its clients make and for the files that they
 * are the first to write to; so the work for a question and what others find are bounded. One thread uses it.
 */
#ifndef AMALGAM_SERVERS_FILE_SESSIONS_H
#define AMALGAM_SERVERS_FILE_SESSIONS_H

#include <amalgam/cluster_files.h>

#include "../../p9/server.h"

#define SESSIONS_CLUSTERS 32
#define SESSIONS_EACH     4 /* of a cluster */
/* The session of a client that says nothing for so long is given to others of its cluster. */
#define SESSIONS_SILENT (10 * 1000000000ull)

struct session {
    struct p9_session files;
    uint64_t client, heard;
    uint32_t life; /* 0: nobody has it */
    uint32_t tag;
    uint16_t come;     /* bytes of the question with the next tag */
    uint16_t answered; /* bytes of the answer to `tag`; 0: there is none yet */
    struct files_room room;
};

struct sessions {
    struct fs *fs;
    struct p9_tree tree;
    struct session *session; /* SESSIONS_EACH of each cluster */
    unsigned clusters;
    uint32_t life; /* of the last session that has begun */
    uint32_t refused;
    bool read_only;
    struct fs_account account[SESSIONS_CLUSTERS];
};

/* Begin without clients. `memory` has SESSIONS_EACH sessions for each cluster, all zeros; `life`: a number that former
 * lives of the server did not come near; `quota`: of each cluster's account. */
void sessions_begin(struct sessions *s, struct fs *fs, struct session *memory, unsigned clusters, uint32_t life,
                    uint64_t quota, bool read_only);
/* Take a message of cluster `node`, at time `now`; its answer takes its place. Returns false: it has none. *data: what
 * of the answer goes through the portal, m->at bytes. */
bool sessions_serve(struct sessions *s, unsigned node, struct files_message *m, uint64_t now, const uint8_t **data);

#endif
