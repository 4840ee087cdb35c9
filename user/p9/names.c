/* SPDX-License-Identifier: MIT */
/* names.c - what changes folders: links, new folders, other names, none. */
#include "session.h"

int p9_name(struct p9_cursor *in, char name[P9_NAME])
{
    struct p9_cursor length = *in;
    if (p9_u16(&length) >= P9_NAME && !length.bad)
        return -ENAMETOOLONG;
    p9_text(in, name, P9_NAME);
    return in->bad || !*name || !strcmp(name, ".") || !strcmp(name, "..") || strchr(name, '/') ? -EINVAL : 0;
}

/* What a new name stands for. */
static int put_new(struct p9_session *s, struct fs_node *folder, const char *name, struct p9_cursor *out)
{
    struct fs_node *node;
    int error = s->tree->find(s->fs, folder, name, 0, &node);
    if (error)
        return error;
    p9_put_qid(s, out, node);
    s->tree->release(node);
    return 0;
}

int p9_mkdir(struct p9_session *s, struct p9_cursor *in, struct p9_cursor *out)
{
    char name[P9_NAME];
    struct fs_node *folder = p9_folder(s, in);
    int error = p9_name(in, name);
    uint32_t mode = p9_u32(in);
    p9_u32(in);
    if (error || in->bad)
        return error ? error : -EINVAL;
    if (!folder)
        return -ENOTDIR;
    error = s->tree->make_folder(s->fs, folder, name, mode & 07777);
    return error ? error : put_new(s, folder, name, out);
}

int p9_symlink(struct p9_session *s, struct p9_cursor *in, struct p9_cursor *out)
{
    char name[P9_NAME];
    struct fs_node *folder = p9_folder(s, in);
    int error = p9_name(in, name);
    if (!error)
        p9_text(in, s->text, sizeof s->text);
    p9_u32(in);
    if (error || in->bad)
        return error ? error : -EINVAL;
    if (!folder)
        return -ENOTDIR;
    error = s->tree->make_symlink(s->fs, s->text, folder, name);
    return error ? error : put_new(s, folder, name, out);
}

int p9_readlink(struct p9_session *s, struct p9_cursor *in, struct p9_cursor *out)
{
    const struct p9_fid *f = p9_fid(s, in);
    if (!f)
        return -EBADF;
    int64_t n = s->tree->read_link(f->node, s->text, sizeof s->text);
    if (n < 0)
        return (int)n;
    p9_put_text(out, s->text, (size_t)n);
    return 0;
}

int p9_link(struct p9_session *s, struct p9_cursor *in, struct p9_cursor *out)
{
    char name[P9_NAME];
    struct fs_node *folder = p9_folder(s, in);
    const struct p9_fid *f = p9_fid(s, in);
    int error = p9_name(in, name);
    (void)out;
    if (error)
        return error;
    if (!f || !folder)
        return f ? -ENOTDIR : -EBADF;
    return s->tree->link_node(s->fs, f->node, folder, name);
}

int p9_renameat(struct p9_session *s, struct p9_cursor *in, struct p9_cursor *out)
{
    char old[P9_NAME], new[P9_NAME];
    struct fs_node *from = p9_folder(s, in);
    int error = p9_name(in, old);
    struct fs_node *to = p9_folder(s, in);
    (void)out;
    if (!error)
        error = p9_name(in, new);
    if (error)
        return error;
    return from && to ? s->tree->rename(s->fs, from, old, to, new) : -ENOTDIR;
}

int p9_unlinkat(struct p9_session *s, struct p9_cursor *in, struct p9_cursor *out)
{
    char name[P9_NAME];
    struct fs_node *folder = p9_folder(s, in);
    int error = p9_name(in, name);
    uint32_t flags = p9_u32(in);
    (void)out;
    if (error || in->bad || flags & ~P9_REMOVE_FOLDER)
        return error ? error : -EINVAL;
    if (!folder)
        return -ENOTDIR;
    return flags ? s->tree->remove_folder(s->fs, folder, name) : s->tree->unlink(s->fs, folder, name);
}
