/* SPDX-License-Identifier: MIT */
/* tunnel_server.c - the turns of a server at a tunnel: tunnel_server.h. */
#include "tunnel_server.h"

#include "tunnel_link.h"

int64_t tunnel_server_begin(struct tunnel_server *s, uint32_t index)
{
    int64_t error = amalgam_tunnel_open(index, &s->tunnel);
    if (!error && (!(s->tunnel.rights & AMALGAM_TUNNEL_WRITE) ||
                   !p9_link_begin(&s->link, s->tunnel.memory, s->tunnel.size, true)))
        error = -AMALGAM_EINVAL;
    return error;
}

static void meet(struct tunnel_server *s)
{
    s->forget(s);
    if (s->meets)
        s->meets(s);
    p9_tunnel_drain(s->tunnel.index);
    p9_link_meet(&s->link);
}

static void answer(struct tunnel_server *s)
{
    s->answer(s, p9_link_question(&s->link, s->link.taken), p9_link_answer(&s->link, s->link.taken));
    s->link.taken++;
    p9_link_put(&s->link);
}

/* Returns why the client cannot be served any more, or 0. */
static int64_t sleep(struct tunnel_server *s, bool met)
{
    int64_t result = p9_tunnel_sleep(&s->link, &s->tunnel.index, met, AMALGAM_NEVER);
    if (result == -AMALGAM_EPIPE && !p9_link_is_new(&s->link)) {
        s->forget(s);
        p9_link_renew(&s->link);
    }
    return result == -AMALGAM_EACCES || result == -AMALGAM_ENOENT ? result : 0;
}

int64_t tunnel_serve(struct tunnel_server *s)
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
