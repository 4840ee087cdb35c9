/* SPDX-License-Identifier: MIT */
/* session.h - what the sources of the server share: server.h. */
#ifndef AMALGAM_P9_SESSION_H
#define AMALGAM_P9_SESSION_H

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "server.h"

/* Read what a message says from `in`, do it, write the answer's fields. Returns 0 or a negative errno, in which case
 * what was written is dropped. */
typedef int p9_call(struct p9_session *s, struct p9_cursor *in, struct p9_cursor *out);
p9_call p9_walk, p9_clunk, p9_attach;                                         /* fids.c */
p9_call p9_lopen, p9_lcreate, p9_read, p9_write, p9_readdir, p9_fsync;        /* contents.c */
p9_call p9_symlink, p9_readlink, p9_link, p9_mkdir, p9_renameat, p9_unlinkat; /* names.c */
p9_call p9_getattr, p9_setattr, p9_statfs;                                    /* attributes.c */

/* Read a fid's number. Returns what it stands for, or NULL. */
struct p9_fid *p9_fid(struct p9_session *s, struct p9_cursor *in);
/* The same; NULL also if it is no folder. */
struct fs_node *p9_folder(struct p9_session *s, struct p9_cursor *in);
/* Read a name that is to be made or found in a folder: not "", "." or "..", and without a slash. Returns 0, -EINVAL or
 * -ENAMETOOLONG. */
int p9_name(struct p9_cursor *in, char name[P9_NAME]);
void p9_put_qid(const struct p9_session *s, struct p9_cursor *out, const struct fs_node *node);
/* A fid stands for nothing any more. Returns 0, or why what was written by it is not there. */
int p9_forget(struct p9_session *s, struct p9_fid *f);

#endif
