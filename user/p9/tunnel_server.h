/* SPDX-License-Identifier: MIT */
/* tunnel_server.h - answers the questions of a client at a tunnel, one after the other (link.h): messages of 9P
 * (serve.c), or requests for blocks of a disk (user/disk/range_server.c). */
#ifndef AMALGAM_P9_TUNNEL_SERVER_H
#define AMALGAM_P9_TUNNEL_SERVER_H

#include <amalgam/tunnel.h>

#include "link.h"

struct tunnel_server {
    struct p9_link link;
    struct amalgam_tunnel tunnel;
    /* The client's life has ended. */
    void (*forget)(struct tunnel_server *s);
    /* NULL, or: it has another one, and will be told so behind this. */
    void (*meets)(struct tunnel_server *s);
    /* Each is link.area bytes of memory that the client may change meanwhile. */
    void (*answer)(struct tunnel_server *s, uint8_t *question, uint8_t *answer);
};

/* Begin at tunnel `index`. Returns 0, -AMALGAM_ENOENT: there is no such tunnel; -AMALGAM_EACCES: it is withdrawn;
 * -AMALGAM_EINVAL: its memory is too small, or may not be written. */
int64_t tunnel_server_begin(struct tunnel_server *s, uint32_t index);
/* Serve until the tunnel is withdrawn. Returns -AMALGAM_EACCES or -AMALGAM_ENOENT. */
int64_t tunnel_serve(struct tunnel_server *s);

#endif
