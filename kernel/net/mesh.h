/* SPDX-License-Identifier: MIT */
/*
 * mesh.h - the network between the kernels of an SCC: what they share for it.
 *
 * With processes' ports (MESH_PORTS, mesh_ports.c) each core may have some. A frame for no port of any core goes to the
 * core whose process is the way outside. What that process sends goes to the cores that it is for.
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

#include "switch.h"

#define MESH_MEMBERS (MESH_PORTS ? SCC_CORES : 16u) /* each core, or as many as a system has domains */
#define MESH_FRAMES  (MESH_PORTS ? 8u : 16u)        /* a power of two */

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

/* Return the lowest core of a set, and take it out. */
static inline unsigned mesh_next(u64 *cores)
{
    u32 low = (u32)*cores;
    unsigned core = (unsigned)(low ? __builtin_ctz(low) : 32 + __builtin_ctz((u32)(*cores >> 32)));
    *cores &= *cores - 1;
    return core;
}

/* mesh_send.c. Return the core's ring; NULL: it is no member. */
struct mesh_ring *mesh_ring_of(unsigned core);
/* The core is a member, and has this ring. What was sent to a former life of this kernel is not this one's, and its own
 * frames go on from where they were. Boot. */
void mesh_join(unsigned core, unsigned ring);
/* Return the cores that have a port of a guest's for this address; of a group, all that have a guest's. */
u64 mesh_guests(unsigned net, const u8 *mac);
/* Send a frame to these cores but this one. Returns as send() of a switch's uplink; interrupts are off. */
int mesh_send(unsigned net, u64 to, struct net_frame *f);

/* mesh_ports.c, not linked where MESH_PORTS is 0. Learn of processes' ports, once. Boot. */
void mesh_learn(void);
/* Return the cores that have a port for this address. Where none has, that is the core of the way outside; a group's
 * frame is also for that one. 0: there is none either. */
u64 mesh_ports(unsigned net, const u8 *mac);
/* This core's way outside gets a frame, if it has one and the frame is for it. Returns 0; -ENODEV: it is not; -ENOSPC:
 * it has no room, and the frame is lost. The switch is locked, or interrupts are off. */
int mesh_out(unsigned net, struct net_frame *f);
/* A frame has come from another core, in one piece. Interrupts are on. */
void mesh_came(unsigned net, struct net_switch *sw, u8 *bytes, u32 length);

#endif
