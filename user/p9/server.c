/* SPDX-License-Identifier: MIT */
/* server.c - a session of 9P2000.L: versions, and which function answers which message. See server.h. */
#include "session.h"

/* It ends all that came before: intro(5), version. */
static int version(struct p9_session *s, struct p9_cursor *in, struct p9_cursor *out)
{
    char wanted[P9_NAME];
    uint32_t msize = p9_u32(in);
    p9_text(in, wanted, sizeof wanted);
    if (in->bad || msize < P9_IO_HEADER + 1024)
        return -EINVAL;
    bool known = !strcmp(wanted, P9_VERSION);
    p9_end(s);
    s->msize = known ? msize < P9_MSIZE ? msize : P9_MSIZE : 0;
    p9_put(out, 4, known ? s->msize : msize);
    p9_put_text(out, known ? P9_VERSION : "unknown", known ? strlen(P9_VERSION) : strlen("unknown"));
    return 0;
}

/* Each message is answered before the next one is read, so the old one has been. */
static int flush(struct p9_session *s, struct p9_cursor *in, struct p9_cursor *out)
{
    (void)s, (void)out;
    p9_u16(in);
    return 0;
}

/* Nobody has to say who he is: this error is what clients understand as that. */
static int authenticate(struct p9_session *s, struct p9_cursor *in, struct p9_cursor *out)
{
    (void)s, (void)in, (void)out;
    return -ENOENT;
}

static const struct {
    uint8_t type;
    bool changes;
    p9_call *call;
} calls[] = {
    { P9_TREAD, false, p9_read },        { P9_TWRITE, true, p9_write },     { P9_TWALK, false, p9_walk },
    { P9_TCLUNK, false, p9_clunk },      { P9_TLOPEN, false, p9_lopen },    { P9_TGETATTR, false, p9_getattr },
    { P9_TREADDIR, false, p9_readdir },  { P9_TLCREATE, true, p9_lcreate }, { P9_TUNLINKAT, true, p9_unlinkat },
    { P9_TRENAMEAT, true, p9_renameat }, { P9_TMKDIR, true, p9_mkdir },     { P9_TSYMLINK, true, p9_symlink },
    { P9_TLINK, true, p9_link },         { P9_TSETATTR, true, p9_setattr }, { P9_TREADLINK, false, p9_readlink },
    { P9_TSTATFS, false, p9_statfs },    { P9_TFSYNC, false, p9_fsync },    { P9_TFLUSH, false, flush },
    { P9_TVERSION, false, version },     { P9_TATTACH, false, p9_attach },  { P9_TAUTH, false, authenticate },
};

static int answer(struct p9_session *s, uint8_t type, struct p9_cursor *in, struct p9_cursor *out)
{
    if (type != P9_TVERSION && !s->msize)
        return -EPROTO;
    for (unsigned i = 0; i < sizeof calls / sizeof *calls; i++)
        if (calls[i].type == type) {
            if (calls[i].changes && s->read_only)
                return -EROFS;
            int error = calls[i].call(s, in, out);
            return error ? error : out->bad ? -ERANGE : 0;
        }
    return -EOPNOTSUPP;
}

static size_t close_message(uint8_t *message, const struct p9_cursor *end, uint8_t type, uint16_t tag)
{
    size_t n = (size_t)(end->at - message);
    struct p9_cursor head = { message, P9_HEADER, false };
    p9_put(&head, 4, n);
    p9_put(&head, 1, type);
    p9_put(&head, 2, tag);
    return n;
}

static size_t refuse(uint8_t *to, int error, uint16_t tag)
{
    struct p9_cursor out = { to + P9_HEADER, 4, false };
    p9_put(&out, 4, (uint64_t)error);
    return close_message(to, &out, P9_RLERROR, tag);
}

size_t p9_serve(struct p9_session *s, uint8_t *message, size_t n, uint8_t *to, size_t room)
{
    struct p9_cursor in = { message, n, false };
    uint32_t size = p9_u32(&in);
    uint8_t type = p9_u8(&in);
    uint16_t tag = p9_u16(&in);
    if (in.bad || size != n)
        return 0;
    struct fs_account *before = s->fs->payer;
    struct p9_cursor out = { to + P9_HEADER, (s->msize && s->msize < room ? s->msize : room) - P9_HEADER, false };
    s->fs->payer = s->account;
    int error = answer(s, type, &in, &out);
    s->fs->payer = before;
    if (!error)
        return close_message(to, &out, (uint8_t)(type + 1), tag);
    return refuse(to, -error, tag);
}

size_t p9_refuse(uint8_t *to, int error) { return refuse(to, error, P9_NO_TAG); }

void p9_begin(struct p9_session *s, const struct p9_tree *tree, struct fs *fs, struct fs_account *account,
              bool read_only)
{
    memset(s, 0, sizeof *s);
    s->tree = tree;
    s->fs = fs;
    s->account = account;
    s->read_only = read_only;
}

void p9_end(struct p9_session *s)
{
    struct fs_account *before = s->fs->payer;
    s->fs->payer = s->account;
    for (unsigned i = 0; i < P9_FIDS; i++)
        if (s->fid[i].node)
            p9_forget(s, &s->fid[i]); /* an error has nobody to be told to */
    s->fs->payer = before;
    s->msize = s->farthest = 0;
}
