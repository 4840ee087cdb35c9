/* SPDX-License-Identifier: MIT */
/* amalgam/tunnel.h - of a test that is both ends of a tunnel: its functions stand in for the kernel's calls. */
#ifndef HOST_AMALGAM_TUNNEL_H
#define HOST_AMALGAM_TUNNEL_H

#include <stddef.h>
#include <stdint.h>

#define AMALGAM_NEVER        UINT64_MAX
#define AMALGAM_EINTR        4
#define AMALGAM_EPIPE        32
#define AMALGAM_ETIMEDOUT    110
#define AMALGAM_TUNNEL_WRITE 1u

struct amalgam_tunnel {
    uint32_t index, rights;
    void *memory;
    size_t size;
};

int64_t amalgam_tunnel_open(uint32_t index, struct amalgam_tunnel *t);
int64_t amalgam_tunnel_wait(uint32_t index, uint64_t deadline);
int64_t amalgam_tunnel_call(uint32_t index, uint64_t deadline);
int64_t amalgam_tunnel_notify(uint32_t index);
int64_t amalgam_clock(void);

#endif
