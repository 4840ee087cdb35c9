/* SPDX-License-Identifier: MIT */
/* paths.c - what a path leads to at a server: found, opened, told of, changed. See client.h. */
#include "rpc.h"

#include <fcntl.h>
#include <string.h>

/* Put a question that finds a path, without its last name if `parent`, which *last then is. Returns how many names it
 * asks for, or an error, and nothing was put. */
static int say_walk(struct p9_client *c, const char *path, bool parent, uint32_t fid, const char **last)
{
    struct p9_cursor q = p9_question(c);
    int names = p9_put_walk(&q, ROOT, fid, path, parent, last);
    if (names < 0)
        return -ENAMETOOLONG;
    p9_say(c, &q, P9_TWALK);
    return names;
}

/* Take a walk's answer. Returns 0 if all names were found. */
static int take_walk(struct p9_client *c, int names)
{
    struct p9_cursor in;
    int error = p9_answer(c, P9_TWALK, &in), kind = P9_QID_FOLDER;
    if (error)
        return error;
    uint16_t found = p9_u16(&in);
    if (found == names)
        return 0;
    for (unsigned i = 0; i < found; i++) {
        kind = p9_u8(&in);
        p9_bytes(&in, 12);
    }
    return in.bad ? -EIO : kind == P9_QID_LINK ? -ELOOP : kind == P9_QID_FOLDER ? -ENOENT : -ENOTDIR;
}

/* Take the answer to what came behind a walk. */
static int take_after_walk(struct p9_client *c, int names, uint8_t type, struct p9_cursor *in)
{
    int walked = take_walk(c, names), error = p9_answer(c, type, in);
    return walked ? walked : error;
}

/* A fid and a session for a path. */
static int begin_path(struct p9_client *c, uint32_t *fid)
{
    int error = p9_connect(c);
    if (error)
        return error;
    *fid = p9_fid_take(c);
    return *fid == P9_NO_FID ? -ENFILE : 0;
}

int p9_client_open(struct p9_client *c, const char *path, int flags, unsigned mode, struct p9_file *f)
{
    struct p9_cursor in;
    const char *name;
    uint32_t fid;
    bool makes = flags & O_CREAT;
    uint32_t how = (uint32_t)(flags & O_ACCMODE) | (flags & O_EXCL ? P9_EXCL : 0u) | (flags & O_TRUNC ? P9_TRUNC : 0u) |
                   (flags & O_APPEND ? P9_APPEND : 0u) | (flags & O_DIRECTORY ? P9_DIRECTORY : 0u);
    int error = begin_path(c, &fid);
    if (error)
        return error;
    int names = say_walk(c, path, makes, fid, &name);
    if (names < 0) {
        p9_fid_give(c, fid, false);
        return names;
    }
    struct p9_cursor q = p9_question(c);
    p9_put(&q, 4, fid);
    if (makes)
        p9_put_name(&q, name);
    p9_put(&q, 4, how);
    if (makes) {
        p9_put(&q, 4, mode);
        p9_put(&q, 4, 0);
    }
    p9_say(c, &q, makes ? P9_TLCREATE : P9_TLOPEN);
    error = take_after_walk(c, names, makes ? P9_TLCREATE : P9_TLOPEN, &in);
    if (error)
        p9_fid_give(c, fid, true);
    *f = (struct p9_file){ fid, c->session };
    return error;
}

int p9_client_stat(struct p9_client *c, const char *path, struct stat *s)
{
    const char *name;
    uint32_t fid;
    int error = begin_path(c, &fid);
    if (error)
        return error;
    int names = say_walk(c, path, false, fid, &name);
    if (names >= 0) {
        p9_say_numbers(c, P9_TGETATTR, "48", (uint64_t)fid, P9_GOT_BASIC);
        error = take_walk(c, names);
        int got = p9_take_attributes(c, s);
        error = error ? error : got;
    }
    p9_fid_give(c, fid, names >= 0);
    return names < 0 ? names : error;
}

/* Do something with a name in its folder. `number`: what the message says behind the name, in 4 bytes each. */
static int change_name(struct p9_client *c, const char *path, uint8_t type, unsigned numbers, uint32_t number)
{
    struct p9_cursor in;
    const char *name;
    uint32_t fid;
    int error = begin_path(c, &fid);
    if (error)
        return error;
    int names = say_walk(c, path, true, fid, &name);
    if (names >= 0) {
        struct p9_cursor q = p9_question(c);
        p9_put(&q, 4, fid);
        p9_put_name(&q, name);
        for (unsigned i = 0; i < numbers; i++)
            p9_put(&q, 4, i ? 0 : number);
        p9_say(c, &q, type);
        error = take_after_walk(c, names, type, &in);
    }
    p9_fid_give(c, fid, names >= 0);
    return names < 0 ? names : error;
}

int p9_client_mkdir(struct p9_client *c, const char *path, unsigned mode)
{
    return change_name(c, path, P9_TMKDIR, 2, mode);
}

int p9_client_unlink(struct p9_client *c, const char *path, bool folder)
{
    return change_name(c, path, P9_TUNLINKAT, 1, folder ? P9_REMOVE_FOLDER : 0);
}

int p9_client_rename(struct p9_client *c, const char *old, const char *new)
{
    struct p9_cursor in;
    const char *from, *to;
    uint32_t a, b;
    int error = begin_path(c, &a);
    if (error)
        return error;
    b = p9_fid_take(c);
    int names = b == P9_NO_FID ? -ENFILE : say_walk(c, old, true, a, &from);
    int more = names < 0 ? names : say_walk(c, new, true, b, &to);
    if (names >= 0 && more < 0) {
        take_walk(c, names);
    } else if (more >= 0) {
        struct p9_cursor q = p9_question(c);
        p9_put(&q, 4, a);
        p9_put_name(&q, from);
        p9_put(&q, 4, b);
        p9_put_name(&q, to);
        p9_say(c, &q, P9_TRENAMEAT);
        error = take_walk(c, names);
        int second = take_after_walk(c, more, P9_TRENAMEAT, &in);
        error = error ? error : second;
    }
    p9_fid_give(c, a, names >= 0);
    if (b != P9_NO_FID)
        p9_fid_give(c, b, more >= 0);
    return more < 0 ? more : error;
}
