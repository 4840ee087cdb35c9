/* SPDX-License-Identifier: MIT */
/*
 * vfs_link.h - a process's session at a file server: questions of 9P and their answers (amalgam/cluster_files.h). The
 * caller has a lock.
 */
#ifndef AMALGAM_NANVIX_VFS_LINK_H
#define AMALGAM_NANVIX_VFS_LINK_H

#include "../../p9/wire.h"

#define VFS_ROOT 0u /* the fid of the server's root */

/* How often a session has begun or ended: fids of another number are not there any more. */
extern uint32_t vfs_session;

/* Have a session. Returns 0, -EAGAIN, -EIO or -EINVAL (FILES is wrong). */
int vfs_connect(void);
/* Begin a question: what its type says follows, and vfs_ask(). */
struct p9_cursor vfs_question(void);
/* Ask. *in becomes what is said behind the answer's type and tag, until the next question. data: NULL, or where the
 * data of a read go, at most n bytes; *in has only their count then. Returns 0, the error that the server says, or
 * -EIO: the session is over. */
int vfs_ask(struct p9_cursor *q, uint8_t type, struct p9_cursor *in, void *data, size_t n);

#endif
