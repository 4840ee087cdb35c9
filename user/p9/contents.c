/* SPDX-License-Identifier: MIT */
/* contents.c - what is in files and folders: open, create, read, write, readdir. */
#include "session.h"

static void put_opened(const struct p9_session *s, struct p9_cursor *out, const struct fs_node *node)
{
    p9_put_qid(s, out, node);
    p9_put(out, 4, 0); /* the largest piece: what a message holds */
}

static bool writes(const struct p9_fid *f) { return f->opened && (f->flags & P9_ACCESS) != 0; }
static bool reads(const struct p9_fid *f) { return f->opened && (f->flags & P9_ACCESS) != P9_WRONLY; }

int p9_lopen(struct p9_session *s, struct p9_cursor *in, struct p9_cursor *out)
{
    struct fs_stat is;
    struct p9_fid *f = p9_fid(s, in);
    int flags = (int)p9_u32(in);
    if (in->bad || !f || f->opened)
        return in->bad || f ? -EINVAL : -EBADF;
    bool changes = (flags & P9_ACCESS) || flags & P9_TRUNC;
    s->tree->describe(f->node, &is);
    if (S_ISLNK(is.mode))
        return -ELOOP;
    if (!S_ISDIR(is.mode) && !S_ISREG(is.mode))
        return -ENXIO; /* a device is the server's own affair */
    if (S_ISDIR(is.mode) && changes)
        return -EISDIR;
    if (!S_ISDIR(is.mode) && flags & P9_DIRECTORY)
        return -ENOTDIR;
    if (changes && s->read_only)
        return -EROFS;
    int error = s->tree->begin ? s->tree->begin(s->fs, f->node) : 0; /* who may not open it does not cut it */
    if (error)
        return error;
    if (flags & P9_TRUNC)
        error = s->tree->truncate(s->fs, f->node, 0);
    if (error) {
        if (s->tree->end)
            s->tree->end(s->fs, f->node);
        return error;
    }
    f->opened = true;
    f->flags = flags;
    put_opened(s, out, f->node);
    return 0;
}

/* The fid is the folder's, and then the new file's. */
int p9_lcreate(struct p9_session *s, struct p9_cursor *in, struct p9_cursor *out)
{
    char name[P9_NAME];
    struct fs_node *node;
    struct p9_fid *f = p9_fid(s, in);
    int error = p9_name(in, name);
    int flags = (int)p9_u32(in);
    uint32_t mode = p9_u32(in);
    p9_u32(in);
    if (error || in->bad)
        return error ? error : -EINVAL;
    if (!f)
        return -EBADF;
    if (f->opened || !s->tree->is_folder(f->node))
        return f->opened ? -EINVAL : -ENOTDIR;
    unsigned how = FS_CREATE | FS_WRITE | (flags & P9_EXCL ? FS_EXCLUSIVE : 0u) | (flags & P9_TRUNC ? FS_TRUNCATE : 0u);
    error = s->tree->open(s->fs, f->node, name, how, mode & 07777, &node);
    if (error)
        return error;
    if (s->tree->begin && (error = s->tree->begin(s->fs, node))) {
        s->tree->release(node);
        return error;
    }
    s->tree->release(f->node);
    f->node = node;
    f->opened = true;
    f->flags = flags;
    put_opened(s, out, node);
    return 0;
}

/* The count's place is kept, and filled when it is known. */
static int close_data(struct p9_cursor *count, int64_t done)
{
    if (done < 0)
        return (int)done;
    p9_put(count, 4, (uint64_t)done);
    return 0;
}

int p9_read(struct p9_session *s, struct p9_cursor *in, struct p9_cursor *out)
{
    struct p9_fid *f = p9_fid(s, in);
    uint64_t at = p9_u64(in);
    uint32_t n = p9_u32(in);
    if (in->bad || !f || !reads(f))
        return in->bad ? -EINVAL : -EBADF;
    struct p9_cursor count = *out;
    p9_put(out, 4, 0);
    n = n < out->left ? n : (uint32_t)out->left;
    int64_t done = s->tree->read(s->fs, f->node, at, out->at, n);
    if (done > 0)
        p9_bytes(out, (size_t)done);
    return close_data(&count, done);
}

int p9_write(struct p9_session *s, struct p9_cursor *in, struct p9_cursor *out)
{
    struct fs_stat is;
    struct p9_fid *f = p9_fid(s, in);
    uint64_t at = p9_u64(in);
    uint32_t n = p9_u32(in);
    const uint8_t *data = p9_bytes(in, n);
    if (in->bad || !f || !writes(f))
        return in->bad ? -EINVAL : -EBADF;
    if (f->flags & P9_APPEND) {
        s->tree->describe(f->node, &is);
        at = is.size;
    }
    return close_data(out, s->tree->write(s->fs, f->node, at, data, n));
}

/* Entries until there is no room, each with the place behind it, from which the next message goes on. */
int p9_readdir(struct p9_session *s, struct p9_cursor *in, struct p9_cursor *out)
{
    struct fs_entry e;
    struct p9_fid *f = p9_fid(s, in);
    struct fs_place place = { p9_u64(in) };
    uint32_t n = p9_u32(in);
    if (in->bad || !f || !reads(f))
        return in->bad ? -EINVAL : -EBADF;
    if (!s->tree->is_folder(f->node))
        return -ENOTDIR;
    struct p9_cursor count = *out;
    p9_put(out, 4, 0);
    struct p9_cursor room = { out->at, n < out->left ? n : out->left, out->bad };
    int more = 0;
    while (!room.bad && (more = s->tree->next(s->fs, f->node, &place, &e)) > 0) {
        struct p9_cursor before = room;
        p9_put(&room, 1, S_ISDIR(e.mode) ? P9_QID_FOLDER : S_ISLNK(e.mode) ? P9_QID_LINK : P9_QID_FILE);
        p9_put(&room, 4, 0);
        p9_put(&room, 8, e.number);
        p9_put(&room, 8, place.number);
        p9_put(&room, 1, (e.mode & S_IFMT) >> 12); /* d_type of Linux */
        p9_put_text(&room, e.name, strlen(e.name));
        if (!room.bad) {
            continue;
        }
        room = before;
        break;
    }
    size_t bytes = (size_t)(room.at - out->at);
    p9_bytes(out, bytes);
    return more < 0 ? more : close_data(&count, (int64_t)bytes);
}

int p9_fsync(struct p9_session *s, struct p9_cursor *in, struct p9_cursor *out)
{
    const struct p9_fid *f = p9_fid(s, in);
    (void)out;
    if (!f)
        return -EBADF;
    return s->tree->sync ? s->tree->sync(s->fs, f->node) : 0;
}
