/* SPDX-License-Identifier: MIT */
/*
 * server.h - serves a tree of files (tree.h) by 9P2000.L: wire.h. It is plain C that knows no process: who has a
 * message gives it to p9_serve(), which writes the answer. A session is one client's, and what it holds ends with it.
 *
 * Clients are hostile to each other. Each has its own fids, at most P9_FIDS; an account (fs.h) bounds the memory that
 * files made by it take. They see one tree: whoever may change it changes it for all.
 *
 * Nobody is asked who he is. Not there, EOPNOTSUPP: extended attributes, locks, nodes for devices, and what old clients
 * use in place of newer messages (Tremove, Trename). The owner of everything is user 0.
 */
#ifndef AMALGAM_P9_SERVER_H
#define AMALGAM_P9_SERVER_H

#include "tree.h"
#include "wire.h"

#define P9_FIDS  128u
#define P9_MSIZE (P9_IO_HEADER + 65536u) /* no message is larger */

struct p9_fid {
    struct fs_node *node; /* held; NULL: nobody has named this one */
    uint32_t number;
    bool opened;
    int flags;
};

struct p9_session {
    const struct p9_tree *tree;
    struct fs *fs;
    struct fs_account *account; /* NULL: what it makes is bounded by the memory alone */
    bool read_only;             /* nothing is changed: EROFS */
    uint32_t msize;             /* 0: no version has been agreed on */
    struct p9_fid fid[P9_FIDS];
    uint32_t farthest; /* a fid is at most so far behind its number's place */
    char text[FS_PATH_MAX];
};

void p9_begin(struct p9_session *s, const struct p9_tree *tree, struct fs *fs, struct fs_account *account,
              bool read_only);
/* The client is gone. */
void p9_end(struct p9_session *s);
/*
 * Answer one message of n bytes, of which the first four say so, too. Returns the bytes of the answer, at most
 * `room`, which is at least P9_IO_HEADER; 0: the message is none, and no answer could be told from another one's.
 */
size_t p9_serve(struct p9_session *s, uint8_t *message, size_t n, uint8_t *answer, size_t room);
/* Write the answer to what is no message: an error without a tag. Returns its bytes. */
size_t p9_refuse(uint8_t *answer, int error);

#endif
