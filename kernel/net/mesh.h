/* SPDX-License-Identifier: MIT */
/*
 * mesh.h - the network between the kernels of an SCC: what they share for it.
 *
 * A core that has ports is a member, and has a ring of frames in shared memory, which it alone writes. Each frame says
 * whom it is for. Who takes one says so in a word that it alone writes, and the sender uses the frame again when all
 * have said it, or have had their time. All of this is written by 48 kernels, each of which may be wrong: a reader
 * reads each word once and bounds it, and a frame that changes while it is copied is lost.
 */
#ifndef AMALGAM_NET_MESH_H
#define AMALGAM_NET_MESH_H

#include <board/scc.h>
#include <net/net.h>

#define MESH_MEMBERS 16 /* as many as a system has domains */
#define MESH_FRAMES  16 /* a power of two */

struct mesh_frame {
    u32 serial; /* which of the sender's frames this is; another one while it is written */
    u32 length; /* FRAME_MIN to FRAME_MAX */
    u32 to[2];  /* bit n: core n is to take it */
    u32 net;    /* the switch, by its number */
    u8 byte[FRAME_MAX];
} __aligned(32);

/* A member's ring: the serials of its frames only grow. */
struct mesh_ring {
    u32 head; /* of the next frame */
    struct mesh_frame frame[MESH_FRAMES];
};

struct mesh_shared {
    u32 waits[SCC_CORES][2];         /* for each core the cores that have sent it a frame */
    u32 taken[SCC_CORES][SCC_CORES]; /* for each core the serial of the frame of each sender that it looks at next */
    struct mesh_ring ring[MESH_MEMBERS];
};

_Static_assert(sizeof(struct mesh_shared) <= SCC_MESH_SIZE, "it has room");

static inline struct mesh_shared *mesh_shared(void) { return (struct mesh_shared *)SCC_MESH; }

#endif
