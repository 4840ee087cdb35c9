/* SPDX-License-Identifier: MIT */
/* attributes.c - what is said of files, and of the tree. */
#include "session.h"

#define NS_PER_S 1000000000ull
#define BLOCK    4096u
#define MAGIC    0x01021997u /* V9FS_MAGIC, which Linux' statfs() says of 9P */

static void put_time(struct p9_cursor *out, uint64_t ns)
{
    p9_put(out, 8, ns / NS_PER_S);
    p9_put(out, 8, ns % NS_PER_S);
}

int p9_getattr(struct p9_session *s, struct p9_cursor *in, struct p9_cursor *out)
{
    struct fs_stat is;
    const struct p9_fid *f = p9_fid(s, in);
    p9_u64(in); /* which ones are wanted: all are given */
    if (in->bad || !f)
        return in->bad ? -EINVAL : -EBADF;
    s->tree->describe(f->node, &is);
    p9_put(out, 8, P9_GOT_BASIC);
    p9_put_qid(s, out, f->node);
    p9_put(out, 4, is.mode);
    p9_put(out, 8, 0); /* user and group */
    p9_put(out, 8, is.links);
    p9_put(out, 8, 0); /* device */
    p9_put(out, 8, is.size);
    p9_put(out, 8, BLOCK);
    p9_put(out, 8, is.blocks);
    put_time(out, is.atime);
    put_time(out, is.mtime);
    put_time(out, is.ctime);
    put_time(out, 0);  /* of birth */
    p9_put(out, 8, 0); /* generation */
    p9_put(out, 8, 0); /* data version */
    return 0;
}

static uint64_t get_time(struct p9_cursor *in)
{
    uint64_t seconds = p9_u64(in), ns = p9_u64(in);
    in->bad |= ns >= NS_PER_S || seconds >= UINT64_MAX / NS_PER_S - 1;
    return seconds * NS_PER_S + ns;
}

/* What a time is to become. */
static uint64_t time_of(uint32_t valid, uint32_t set, uint32_t set_to, uint64_t to)
{
    return !(valid & set) ? FS_OMIT : valid & set_to ? to : FS_NOW;
}

int p9_setattr(struct p9_session *s, struct p9_cursor *in, struct p9_cursor *out)
{
    const struct p9_fid *f = p9_fid(s, in);
    uint32_t valid = p9_u32(in), mode = p9_u32(in), user = p9_u32(in), group = p9_u32(in);
    uint64_t size = p9_u64(in), atime = get_time(in), mtime = get_time(in);
    int error = 0;
    (void)out;
    if (in->bad || !f)
        return in->bad ? -EINVAL : -EBADF;
    if ((valid & P9_SET_UID && user) || (valid & P9_SET_GID && group))
        return -EPERM; /* all is user 0's */
    if (valid & P9_SET_SIZE)
        error = s->tree->truncate(s->fs, f->node, size);
    if (!error && valid & P9_SET_MODE)
        error = s->tree->set_mode(s->fs, f->node, mode);
    if (!error && valid & (P9_SET_ATIME | P9_SET_MTIME))
        error = s->tree->set_times(s->fs, f->node, time_of(valid, P9_SET_ATIME, P9_SET_ATIME_TO, atime),
                                   time_of(valid, P9_SET_MTIME, P9_SET_MTIME_TO, mtime));
    return error;
}

/* Of the client's account; without one nothing is known. */
int p9_statfs(struct p9_session *s, struct p9_cursor *in, struct p9_cursor *out)
{
    const struct fs_account *a = s->account;
    if (!p9_fid(s, in))
        return -EBADF;
    uint64_t all = a ? a->most / BLOCK : 0, free = a && a->used < a->most ? (a->most - a->used) / BLOCK : 0;
    p9_put(out, 4, MAGIC);
    p9_put(out, 4, BLOCK);
    p9_put(out, 8, all);
    p9_put(out, 8, free);
    p9_put(out, 8, free);
    p9_put(out, 8, 0); /* files: as many as the memory holds */
    p9_put(out, 8, 0);
    p9_put(out, 8, 0); /* the tree's number */
    p9_put(out, 4, FS_NAME_MAX);
    return 0;
}
