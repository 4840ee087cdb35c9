/* SPDX-License-Identifier: MIT */
/*
 * process_port.h - a switch's port that a process has (option NET_PORT), or a switch's way outside, its uplink.
 *
 * The system file gives a process its ports, at most SYS_MAX_PORTS; in each run it has a handle to each of them. What
 * comes for it lies in a ring of the kernel's until the process takes it by a call. A frame that finds the ring full,
 * or no process that runs, is lost, as on a wire: nobody waits for a process.
 *
 * A port has an address of its own, and gets what is sent to that and to groups. An uplink gets what is for no port,
 * and what is for groups: a process that has one and a card is a bridge to the network of the board. Neither is made to
 * send its own address only; a guest is not, either.
 *
 * Locks: the switch's guards the ring. process.lock is taken inside it, to wake who waits for a frame.
 */
#ifndef AMALGAM_NET_PROCESS_PORT_H
#define AMALGAM_NET_PROCESS_PORT_H

#include <errors.h>
#include <handle/handle.h>
#include <process/process.h>

#include "switch.h"

#define PORT_FRAMES 32u /* in a ring; a power of two */
#define PORT_PLACE  (2 * KIB)

struct process_port {
    struct handle_object object;
    struct net_port port; /* an uplink's is in no switch, and counts what was lost */
    struct process *process;
    u8 mac[MAC_BYTES]; /* an uplink's: zeros */
    u8 number;         /* of the switch */
    u8 index;          /* among those of the process */
    bool uplink;
    bool runs;      /* the process does */
    u32 put, taken; /* frames, counted in each run */
    u8 *ring;       /* PORT_FRAMES places of PORT_PLACE bytes */
    u16 length[PORT_FRAMES];
};

/* The next four are process_uplink.c's on a board with one kernel, and mesh_ports.c's on an SCC.
 * Return the switch; NULL: it has no port yet, so no frame comes and none is taken. */
struct net_switch *process_port_switch(const struct process_port *p);
/* Give the port its address, which no other has. */
void process_port_address(struct process_port *p);
/* Send a frame of the port, in one piece that nobody else changes. As uplink_forward(). */
bool process_port_send(struct process_port *p, u8 *bytes, u32 n);
/* Make the port its switch's uplink. Returns 0; -EEXIST: there is one. Boot. */
int process_uplink_claim(struct process_port *p);

/* Take the frame, and wake a thread that waits for one. Returns false: there is no room. The switch is locked; of
 * an SCC, interrupts are off. */
bool process_port_take(struct process_port *p, struct net_frame *f);
/* The same, for who has no other place for it: returns 0; -ENOSPC: it is lost, and counted. */
static inline int process_port_get(struct process_port *p, struct net_frame *f)
{
    if (process_port_take(p, f))
        return 0;
    p->port.lost++;
    return -ENOSPC;
}
/* Return the odd address at which a thread of its process waits for a frame: no call waits there. */
static inline u64 process_port_word(const struct process_port *p) { return PROCESS_PARTS + 8 * MIB - 1 - 2 * p->index; }

#endif
