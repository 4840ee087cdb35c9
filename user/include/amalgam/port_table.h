/* SPDX-License-Identifier: MIT */
/* Made from kernel/api/port.yaml by tools/amalgam/api/generate.py: edit that. */
/* Included by amalgam/port.h, which says what a call is. Any call may return -ENOSYS (there is none of that
 * number) or -ERANGE (an argument is larger than is allowed). */
#ifndef AMALGAM_PORT_TABLE_H
#define AMALGAM_PORT_TABLE_H

#define AMALGAM_PORTS_VERSION 1

enum amalgam_port {
    AMALGAM_PORT_SEND = 0x4e455400,
    AMALGAM_PORT_RECEIVE = 0x4e455401,
    AMALGAM_PORT_WAIT = 0x4e455402,
    AMALGAM_PORT_INFO = 0x4e455403,
    AMALGAM_PORTS_END
};

enum amalgam_port_info {
    AMALGAM_PORT_INFO_ADDRESS,
    AMALGAM_PORT_INFO_NETWORK,
    AMALGAM_PORT_INFO_UPLINK,
    AMALGAM_PORT_INFO_LOST
};

/*
 * Send an Ethernet frame, without its check sequence. Does not wait for whom it is for; what these have no room for
 * is lost. handle: the process's handle of the port. frame: its bytes, from the address that it is for on. n: 14 to
 * 1522. Returns 0; -EBADF: the process has no such handle; -EINVAL: it is no port's, or no frame has that length;
 * -EFAULT: not the process's memory; -ENOSPC: on an SCC: this frame was lost, for want of room on its way or as
 * nobody has its address; `lost` of port_info has counted it.
 */
static inline int64_t amalgam_port_send(unsigned handle, const void *frame, size_t n)
{
    return amalgam_call(AMALGAM_PORT_SEND, (uintptr_t)handle, (uintptr_t)frame, (uintptr_t)n, 0);
}

/*
 * Take the oldest frame that has come. Does not wait. A frame that cannot be written there is lost. handle: the
 * process's handle of the port. to: where to. n: its bytes. Returns the frame's bytes, of which at most n were
 * copied; -EBADF: the process has no such handle; -EINVAL: it is no port's; -EAGAIN: none has come; -EFAULT: not the
 * process's memory.
 */
static inline int64_t amalgam_port_receive(unsigned handle, void *to, size_t n)
{
    return amalgam_call(AMALGAM_PORT_RECEIVE, (uintptr_t)handle, (uintptr_t)to, (uintptr_t)n, 0);
}

/*
 * Wait until a frame has come. handle: the process's handle of the port. deadline: nanoseconds; AMALGAM_NEVER is
 * none. Returns 0: there was one, which another thread may have taken meanwhile; -EBADF: the process has no such
 * handle; -EINVAL: it is no port's; -ETIMEDOUT: the deadline passed; -EINTR: a signal came.
 */
static inline int64_t amalgam_port_wait(unsigned handle, uint64_t deadline)
{
    return amalgam_call(AMALGAM_PORT_WAIT, (uintptr_t)handle, AMALGAM_WIDE(deadline), 0);
}

/*
 * Ask about a port. handle: the process's handle of the port. field: which: its Ethernet address as a number, whose
 * highest byte comes first in a frame, 0 of an uplink; the switch's number; 1: it is an uplink; frames that were
 * lost for want of room, or were sent to nobody. Returns the answer; -EBADF: the process has no such handle;
 * -EINVAL: it is no port's.
 */
static inline int64_t amalgam_port_info(unsigned handle, enum amalgam_port_info field)
{
    return amalgam_call(AMALGAM_PORT_INFO, (uintptr_t)handle, (uintptr_t)field, 0, 0);
}

#endif
