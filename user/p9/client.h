/* SPDX-License-Identifier: MIT */
/*
 * client.h - a client of 9P2000.L at a tunnel: files of a server in another domain. One thread at a time: the caller
 * has the lock of the process's files. Its signals' handlers wait meanwhile.
 *
 * Messages that do not need each other's answer go with one bell: to find a file and open it, or to make it. A file is
 * closed without waiting: that answer is dropped with the next one that is waited for.
 *
 * When the server ends, what was open is lost (-EIO); the next path that is looked for meets the server's next life.
 * Symbolic links are not followed: -ELOOP, for the last name only where its contents are wanted.
 */
#ifndef AMALGAM_P9_CLIENT_H
#define AMALGAM_P9_CLIENT_H

#include <sys/stat.h>

#include "link.h"

#define P9_CLIENT_FIDS 64u /* the root's is one */

struct p9_client {
    struct p9_link link;
    unsigned tunnel;
    uint32_t session; /* how often the server was met: a fid of another one's means nothing */
    uint32_t late;    /* answers that nobody waits for */
    uint64_t used;    /* bits of fids */
    bool up;
};

/* A file that was opened. */
struct p9_file {
    uint32_t fid, session;
};

/* Returns 0, -ENXIO: there is no such tunnel; -EINVAL: its memory is too small or may not be written. */
int p9_client_begin(struct p9_client *c, unsigned tunnel);

/* All of them: -EIO, the server is not there, or was ended; -ENFILE, no fid is left; -ENAMETOOLONG, a path of more than
 * 16 names; else what the server answers. Paths are names with slashes between, from the server's root; "" is that. */
int p9_client_open(struct p9_client *c, const char *path, int flags, unsigned mode, struct p9_file *f);
void p9_client_close(struct p9_client *c, struct p9_file *f);
int64_t p9_client_read(struct p9_client *c, const struct p9_file *f, uint64_t at, void *to, size_t n);
int64_t p9_client_write(struct p9_client *c, const struct p9_file *f, uint64_t at, const void *from, size_t n);
/* Returns how many bytes of entries (Rreaddir's) were copied. */
int64_t p9_client_readdir(struct p9_client *c, const struct p9_file *f, uint64_t place, void *to, size_t n);
int p9_client_fstat(struct p9_client *c, const struct p9_file *f, struct stat *s);
int p9_client_sync(struct p9_client *c, const struct p9_file *f);
int p9_client_truncate(struct p9_client *c, const struct p9_file *f, uint64_t size);
int p9_client_stat(struct p9_client *c, const char *path, struct stat *s);
int p9_client_mkdir(struct p9_client *c, const char *path, unsigned mode);
int p9_client_unlink(struct p9_client *c, const char *path, bool folder);
int p9_client_rename(struct p9_client *c, const char *old, const char *new);

#endif
