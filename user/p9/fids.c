/* SPDX-License-Identifier: MIT */
/* fids.c - the numbers by which a client names what it has found: attach, walk, clunk. */
#include "session.h"

static struct p9_fid *find(struct p9_session *s, uint32_t number)
{
    for (unsigned i = 0; i <= s->farthest; i++) { /* clients number from 0 on: one look */
        struct p9_fid *f = &s->fid[(number + i) % P9_FIDS];
        if (f->node && f->number == number)
            return f;
    }
    return NULL;
}

/* Returns a place for a number that stands for nothing, or NULL. */
static struct p9_fid *find_free(struct p9_session *s, uint32_t number)
{
    for (unsigned i = 0; i < P9_FIDS; i++) {
        struct p9_fid *f = &s->fid[(number + i) % P9_FIDS];
        if (!f->node) {
            s->farthest = i > s->farthest ? i : s->farthest;
            return f;
        }
    }
    return NULL;
}

struct p9_fid *p9_fid(struct p9_session *s, struct p9_cursor *in)
{
    uint32_t number = p9_u32(in);
    return in->bad ? NULL : find(s, number);
}

struct fs_node *p9_folder(struct p9_session *s, struct p9_cursor *in)
{
    const struct p9_fid *f = p9_fid(s, in);
    return f && s->tree->is_folder(f->node) ? f->node : NULL;
}

void p9_put_qid(const struct p9_session *s, struct p9_cursor *out, const struct fs_node *node)
{
    struct fs_stat is;
    s->tree->describe(node, &is);
    p9_put(out, 1, S_ISDIR(is.mode) ? P9_QID_FOLDER : S_ISLNK(is.mode) ? P9_QID_LINK : P9_QID_FILE);
    p9_put(out, 4, is.mtime); /* its lower half: another one when the contents are others */
    p9_put(out, 8, is.number);
}

int p9_attach(struct p9_session *s, struct p9_cursor *in, struct p9_cursor *out)
{
    char text[P9_NAME];
    uint32_t number = p9_u32(in), authentication = p9_u32(in);
    p9_text(in, text, sizeof text); /* who it says that it is */
    p9_text(in, text, sizeof text); /* which tree: there is one */
    p9_u32(in);
    if (in->bad || number == P9_NO_FID || find(s, number))
        return -EINVAL;
    if (authentication != P9_NO_FID)
        return -EOPNOTSUPP;
    struct p9_fid *f = find_free(s, number);
    if (!f)
        return -EMFILE;
    *f = (struct p9_fid){ .node = s->tree->hold(s->fs->root), .number = number };
    p9_put_qid(s, out, f->node);
    return 0;
}

/* One name further, "." and ".." included; links are the client's to follow. Replaces the node that is held by the next
 * one. */
static int step(struct p9_session *s, struct fs_node **at, const char *name)
{
    struct fs_node *next;
    if (!*name || strchr(name, '/'))
        return -EINVAL;
    if (!s->tree->is_folder(*at))
        return -ENOTDIR;
    int error = s->tree->find(s->fs, *at, name, 0, &next);
    if (error)
        return error;
    s->tree->release(*at);
    *at = next;
    return 0;
}

/* As many names as there are: walk(5). If fewer than all were found the new fid stands for nothing; if not even the
 * first, it is an error. */
static int walk_from(struct p9_session *s, struct fs_node **at, struct p9_cursor *in, struct p9_cursor *out,
                     bool *whole)
{
    char name[P9_NAME];
    uint16_t wanted = p9_u16(in), found = 0;
    struct p9_cursor count = *out;
    int error = wanted > P9_WALK ? -EINVAL : 0;
    p9_put(out, 2, 0);
    for (; !error && found < wanted; found++) {
        p9_text(in, name, sizeof name);
        error = in->bad ? -EINVAL : step(s, at, name);
        if (error)
            break;
        p9_put_qid(s, out, *at);
    }
    p9_put(&count, 2, found);
    *whole = !error && found == wanted;
    return found ? 0 : error;
}

int p9_walk(struct p9_session *s, struct p9_cursor *in, struct p9_cursor *out)
{
    struct p9_fid *from = p9_fid(s, in);
    uint32_t number = p9_u32(in);
    if (in->bad || !from || number == P9_NO_FID)
        return in->bad ? -EINVAL : -EBADF;
    struct p9_fid *to = number == from->number ? from : find_free(s, number);
    if (to == from ? from->opened : !!find(s, number))
        return -EINVAL;
    if (!to)
        return -EMFILE;
    bool whole;
    struct fs_node *at = s->tree->hold(from->node);
    int error = walk_from(s, &at, in, out, &whole);
    if (error || !whole || in->bad) {
        s->tree->release(at);
        return error ? error : in->bad ? -EINVAL : 0;
    }
    s->tree->release(to->node);
    *to = (struct p9_fid){ .node = at, .number = number };
    return 0;
}

int p9_forget(struct p9_session *s, struct p9_fid *f)
{
    int error = f->opened && s->tree->end ? s->tree->end(s->fs, f->node) : 0;
    s->tree->release(f->node);
    *f = (struct p9_fid){ 0 };
    return error;
}

int p9_clunk(struct p9_session *s, struct p9_cursor *in, struct p9_cursor *out)
{
    struct p9_fid *f = p9_fid(s, in);
    (void)out;
    if (!f)
        return -EBADF;
    return p9_forget(s, f);
}
