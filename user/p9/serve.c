/* SPDX-License-Identifier: MIT */
/* serve.c - a session at a tunnel: amalgam/file_server.h. The tree is the process's own, under the lock of its files.
 */
#include <amalgam/file_server.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/files.h"
#include "server.h"
#include "tunnel_link.h"

struct served {
    struct p9_link link;
    struct p9_session session;
    struct fs_account account;
    struct amalgam_tunnel tunnel;
};

static void forget_session(struct served *s)
{
    files_enter();
    p9_end(&s->session);
    files_leave();
}

static void meet(struct served *s)
{
    forget_session(s);
    p9_tunnel_drain(s->tunnel.index);
    p9_link_meet(&s->link);
}

static void answer(struct served *s)
{
    uint8_t *question = p9_link_question(&s->link, s->link.taken), *to = p9_link_answer(&s->link, s->link.taken);
    struct p9_cursor head = { question, 4, false };
    uint32_t size = p9_u32(&head);
    files_enter();
    size_t done = size <= s->link.area ? p9_serve(&s->session, question, size, to, s->link.area) : 0;
    files_leave();
    if (!done)
        p9_refuse(to, EPROTO);
    s->link.taken++;
    p9_link_put(&s->link);
}

/* Returns why the client cannot be served any more, or 0. */
static int64_t sleep(struct served *s, bool met)
{
    int64_t result = p9_tunnel_sleep(&s->link, &s->tunnel.index, met, AMALGAM_NEVER);
    if (result == -AMALGAM_EPIPE && !p9_link_is_new(&s->link)) {
        forget_session(s);
        p9_link_renew(&s->link);
    }
    return result == -AMALGAM_EACCES || result == -AMALGAM_ENOENT ? result : 0;
}

static int64_t serve(struct served *s)
{
    for (;;) {
        bool met = p9_link_met(&s->link);
        if (p9_link_is_new(&s->link)) {
            meet(s);
        } else if (met && p9_link_there(&s->link, P9_PLACES)) {
            answer(s);
        } else {
            int64_t error = sleep(s, met);
            if (error)
                return error;
        }
    }
}

int amalgam_files_serve(uint32_t index, uint64_t quota, bool read_only)
{
    struct served *s = calloc(1, sizeof *s);
    if (!s)
        return -AMALGAM_ENOMEM;
    int64_t error = amalgam_tunnel_open(index, &s->tunnel);
    files_enter();
    struct fs *fs = files_tree();
    files_leave();
    if (!error && !fs)
        error = -AMALGAM_ENOMEM;
    if (!error && (!(s->tunnel.rights & AMALGAM_TUNNEL_WRITE) ||
                   !p9_link_begin(&s->link, s->tunnel.memory, s->tunnel.size, true)))
        error = -AMALGAM_EINVAL;
    if (!error) {
        s->account.most = quota;
        p9_begin(&s->session, fs, &s->account, read_only);
        error = serve(s);
        forget_session(s);
    }
    if (!s->account.used) /* else it pays for files that outlive the session */
        free(s);
    return (int)error;
}
