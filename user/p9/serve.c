/* SPDX-License-Identifier: MIT */
/* serve.c - a session at a tunnel, under the lock of the process's files: serve.h. */
#include "serve.h"

#include <errno.h>
#include <stdlib.h>

#include "../lib/files.h"
#include "server.h"
#include "tunnel_server.h"

struct served {
    struct tunnel_server at; /* the first: it is what the functions below get */
    struct p9_session session;
    struct fs_account account;
};

static void forget(struct tunnel_server *at)
{
    files_enter();
    p9_end(&((struct served *)at)->session);
    files_leave();
}

static void answer(struct tunnel_server *at, uint8_t *question, uint8_t *to)
{
    struct p9_cursor head = { question, 4, false };
    uint32_t size = p9_u32(&head);
    files_enter();
    size_t done =
        size <= at->link.area ? p9_serve(&((struct served *)at)->session, question, size, to, at->link.area) : 0;
    files_leave();
    if (!done)
        p9_refuse(to, EPROTO);
}

int p9_serve_tunnel(uint32_t index, const struct p9_tree *tree, struct fs *fs, uint64_t most, bool read_only)
{
    struct served *s = calloc(1, sizeof *s);
    if (!s)
        return -AMALGAM_ENOMEM;
    int64_t error = tunnel_server_begin(&s->at, index);
    if (!error) {
        s->at.forget = forget;
        s->at.answer = answer;
        s->account.most = most;
        p9_begin(&s->session, tree, fs, &s->account, read_only);
        error = tunnel_serve(&s->at);
        forget(&s->at);
    }
    if (!s->account.used) /* else it pays for files that outlive the session */
        free(s);
    return (int)error;
}
