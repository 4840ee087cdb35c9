/* SPDX-License-Identifier: MIT */
/* Made from kernel/api/scc.yaml by tools/amalgam/api.py: edit that. */
/* Included by amalgam/scc.h, which says what a call is. Any call may return -ENOSYS (there is none of that
 * number) or -ERANGE (an argument is larger than is allowed). */
#ifndef AMALGAM_SCC_TABLE_H
#define AMALGAM_SCC_TABLE_H

#define AMALGAM_SCCS_VERSION 1

enum amalgam_scc {
    AMALGAM_MAIL_SEND = 0x53434300,
    AMALGAM_MAIL_RECEIVE = 0x53434301,
    AMALGAM_MAIL_CORE = 0x53434302,
    AMALGAM_SCCS_END
};

enum amalgam_mail_receive { AMALGAM_MAIL_RECEIVE_POLL, AMALGAM_MAIL_RECEIVE_INTERRUPT, AMALGAM_MAIL_RECEIVE_ADAPTIVE };

/*
 * Send a message to the same process on another core, or on this one. Does not wait. core: the receiver's core.
 * data: the message. n: bytes, 1 to 28. Returns 0; -EINVAL: n is out of range; -EFAULT: data is not the process's
 * memory; -EPERM: the process does not run there, or has no `shared` memory; -ENODEV: no kernel runs there; -EAGAIN:
 * two messages of this core have not been taken there yet.
 */
static inline int64_t amalgam_mail_send(unsigned core, const void *data, unsigned n)
{
    return amalgam_call(AMALGAM_MAIL_SEND, (uintptr_t)core, (uintptr_t)data, (uintptr_t)n, 0);
}

/*
 * Take the next message from the same process on any of its cores, in the order of each sender. data: gets the
 * message, up to 28 bytes. how: how to wait: look again and again; sleep until an interrupt; first look, then sleep.
 * deadline: until when, as clock() counts; 0: do not wait; all ones: for ever. Returns the sender's core * 256 + the
 * number of bytes; -EFAULT: data is not the process's memory; the message is lost; -EPERM: the process has no
 * `shared` memory; -EBUSY: another thread receives; -ETIMEDOUT: no message came.
 */
static inline int64_t amalgam_mail_receive(void *data, enum amalgam_mail_receive how, uint64_t deadline)
{
    return amalgam_call(AMALGAM_MAIL_RECEIVE, (uintptr_t)data, (uintptr_t)how, AMALGAM_WIDE(deadline));
}

/* Ask on which core this run of the process is. Returns the core's number. */
static inline int64_t amalgam_mail_core(void) { return amalgam_call(AMALGAM_MAIL_CORE, 0, 0, 0, 0); }

#endif
