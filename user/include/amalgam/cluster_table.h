/* SPDX-License-Identifier: MIT */
/* Made from kernel/api/cluster.yaml by tools/amalgam/api.py: edit that. */
/* Included by amalgam/clusters.h, which says what a call is. Any call may return -ENOSYS (there is none of that
 * number) or -ERANGE (an argument is larger than is allowed). */
#ifndef AMALGAM_CLUSTER_TABLE_H
#define AMALGAM_CLUSTER_TABLE_H

#define AMALGAM_CLUSTERS_VERSION 1

enum amalgam_cluster {
    AMALGAM_REMOTE_NULL = 0x4e560000,
    AMALGAM_CLUSTER_INFO = 0x4e560001,
    AMALGAM_MAILBOX_CREATE = 0x4e560008,
    AMALGAM_MAILBOX_OPEN = 0x4e560009,
    AMALGAM_MAILBOX_CLOSE = 0x4e56000a,
    AMALGAM_MAILBOX_SET_REMOTE = 0x4e56000b,
    AMALGAM_MAILBOX_AWRITE = 0x4e56000c,
    AMALGAM_MAILBOX_AREAD = 0x4e56000d,
    AMALGAM_MAILBOX_WAIT = 0x4e56000e,
    AMALGAM_MAILBOX_GET_PORT = 0x4e56000f,
    AMALGAM_PORTAL_CREATE = 0x4e560010,
    AMALGAM_PORTAL_ALLOW = 0x4e560011,
    AMALGAM_PORTAL_OPEN = 0x4e560012,
    AMALGAM_PORTAL_CLOSE = 0x4e560013,
    AMALGAM_PORTAL_AWRITE = 0x4e560014,
    AMALGAM_PORTAL_AREAD = 0x4e560015,
    AMALGAM_PORTAL_WAIT = 0x4e560016,
    AMALGAM_PORTAL_GET_PORT = 0x4e560017,
    AMALGAM_SYNC_CREATE = 0x4e560018,
    AMALGAM_SYNC_OPEN = 0x4e560019,
    AMALGAM_SYNC_CLOSE = 0x4e56001a,
    AMALGAM_SYNC_WAIT = 0x4e56001b,
    AMALGAM_SYNC_SIGNAL = 0x4e56001c,
    AMALGAM_MAILBOX_WRITE = 0x4e56001d,
    AMALGAM_MAILBOX_READ = 0x4e56001e,
    AMALGAM_CLUSTERS_END
};

enum amalgam_cluster_info { AMALGAM_CLUSTER_INFO_NODE, AMALGAM_CLUSTER_INFO_NODES };
enum amalgam_mailbox_close { AMALGAM_MAILBOX_CLOSE_UNLINK, AMALGAM_MAILBOX_CLOSE_CLOSE };
enum amalgam_portal_close { AMALGAM_PORTAL_CLOSE_UNLINK, AMALGAM_PORTAL_CLOSE_CLOSE };
enum amalgam_sync_create { AMALGAM_SYNC_CREATE_ONE_TO_ALL, AMALGAM_SYNC_CREATE_ALL_TO_ONE };
enum amalgam_sync_open { AMALGAM_SYNC_OPEN_ONE_TO_ALL, AMALGAM_SYNC_OPEN_ALL_TO_ONE };
enum amalgam_sync_close { AMALGAM_SYNC_CLOSE_UNLINK, AMALGAM_SYNC_CLOSE_CLOSE };

/* Nothing, by the master: what a remote call costs. Returns 0. */
static inline int64_t amalgam_remote_null(void) { return amalgam_call(AMALGAM_REMOTE_NULL, 0, 0, 0, 0); }

/*
 * What a program may want to know of the clusters. field: node: this cluster's number; nodes: how many there are.
 * Returns what `field` asks for.
 */
static inline int64_t amalgam_cluster_info(enum amalgam_cluster_info field)
{
    return amalgam_call(AMALGAM_CLUSTER_INFO, (uintptr_t)field, 0, 0, 0);
}

/*
 * Make a mailbox that reads what is sent to a port of this cluster. local: this cluster. port: below 16. Returns its
 * descriptor; -EINVAL: not this cluster or no port; -EBUSY: the port has one; -EAGAIN: there are 64.
 */
static inline int64_t amalgam_mailbox_create(unsigned local, unsigned port)
{
    return amalgam_call(AMALGAM_MAILBOX_CREATE, (uintptr_t)local, (uintptr_t)port, 0, 0);
}

/*
 * Make a mailbox that writes to a port of a cluster. remote: a cluster. port: below 16. Returns its descriptor;
 * -EINVAL: no cluster or no port; -EAGAIN: there are 64, or 16 to that cluster.
 */
static inline int64_t amalgam_mailbox_open(unsigned remote, unsigned port)
{
    return amalgam_call(AMALGAM_MAILBOX_OPEN, (uintptr_t)remote, (uintptr_t)port, 0, 0);
}

/*
 * Give a descriptor back. id: the mailbox. type: unlink: one that reads; close: one that writes. Returns 0; -EINVAL:
 * not below 64; -EBADF: none; -EBUSY: a read was started, or a message at its port was passed by a later one of its
 * cluster.
 */
static inline int64_t amalgam_mailbox_close(unsigned id, enum amalgam_mailbox_close type)
{
    return amalgam_call(AMALGAM_MAILBOX_CLOSE, (uintptr_t)id, (uintptr_t)type, 0, 0);
}

/*
 * Have the next read take messages of one sender only. id: the mailbox. remote: a cluster, or their number: any.
 * port: its port, or 16: any. Returns 0; -EINVAL: out of range; -EBADF: none; -EFAULT: it writes, or has such an
 * order already.
 */
static inline int64_t amalgam_mailbox_set_remote(unsigned id, unsigned remote, unsigned port)
{
    return amalgam_call(AMALGAM_MAILBOX_SET_REMOTE, (uintptr_t)id, (uintptr_t)remote, (uintptr_t)port, 0);
}

/*
 * Send a message, padded with zeros. Returns when it is on its way. id: the mailbox. data: the message. n: bytes, 1
 * to 128. Returns 0; -EINVAL: n, or no data; -EFAULT: not the process's; -EBADF: none that writes; -EIO: the cluster
 * was lost (said once); -ETIMEDOUT: it does not answer.
 */
static inline int64_t amalgam_mailbox_awrite(unsigned id, const void *data, size_t n)
{
    return amalgam_call(AMALGAM_MAILBOX_AWRITE, (uintptr_t)id, (uintptr_t)data, (uintptr_t)n, 0);
}

/*
 * Start a read. mailbox_wait() ends it. id: the mailbox. data: where the message goes. n: bytes of it, 1 to 128.
 * Returns 0; -EINVAL: n, or no data; -EFAULT: not the process's; -EBADF: none that reads; -EBUSY: one was started.
 */
static inline int64_t amalgam_mailbox_aread(unsigned id, void *data, size_t n)
{
    return amalgam_call(AMALGAM_MAILBOX_AREAD, (uintptr_t)id, (uintptr_t)data, (uintptr_t)n, 0);
}

/*
 * Wait until what was started is done. id: the mailbox. Returns 0; -EBADF: none, or nothing was started; -EIO: the
 * one sender whose messages it takes was lost; -EFAULT: the message cannot be written to where the read wants it.
 */
static inline int64_t amalgam_mailbox_wait(unsigned id)
{
    return amalgam_call(AMALGAM_MAILBOX_WAIT, (uintptr_t)id, 0, 0, 0);
}

/*
 * Which port a mailbox has. id: the mailbox. Returns the port that it reads, or that a receiver sees as the
 * sender's; -EBADF: none.
 */
static inline int64_t amalgam_mailbox_get_port(unsigned id)
{
    return amalgam_call(AMALGAM_MAILBOX_GET_PORT, (uintptr_t)id, 0, 0, 0);
}

/*
 * Make a portal that reads at a port of this cluster. local: this cluster. port: below 16. Returns its descriptor;
 * -EINVAL: not this cluster or no port; -EBUSY: the port has one; -EAGAIN: there are 64.
 */
static inline int64_t amalgam_portal_create(unsigned local, unsigned port)
{
    return amalgam_call(AMALGAM_PORTAL_CREATE, (uintptr_t)local, (uintptr_t)port, 0, 0);
}

/*
 * Allow a writer one transfer of at most 4 KiB. id: the portal. remote: the writer's cluster. port: the writer's, as
 * its portal_get_port() says. Returns 0; -EINVAL: out of range; -EBADF: none that reads; -EBUSY: one is allowed
 * already; -EIO: the cluster was lost (said once).
 */
static inline int64_t amalgam_portal_allow(unsigned id, unsigned remote, unsigned port)
{
    return amalgam_call(AMALGAM_PORTAL_ALLOW, (uintptr_t)id, (uintptr_t)remote, (uintptr_t)port, 0);
}

/*
 * Make a portal that writes. local: this cluster. remote: the reader's. port: the reader's, below 16. Returns its
 * descriptor; -EINVAL: out of range; -EAGAIN: there are 64, or 16 to that cluster, or the outbox has no room for
 * data.
 */
static inline int64_t amalgam_portal_open(unsigned local, unsigned remote, unsigned port)
{
    return amalgam_call(AMALGAM_PORTAL_OPEN, (uintptr_t)local, (uintptr_t)remote, (uintptr_t)port, 0);
}

/*
 * Give a descriptor back. id: the portal. type: unlink: one that reads; close: one that writes. Returns 0; -EINVAL:
 * not below 64; -EBADF: none; -EBUSY: a transfer is not done, or data at its port were passed by later ones of their
 * cluster.
 */
static inline int64_t amalgam_portal_close(unsigned id, enum amalgam_portal_close type)
{
    return amalgam_call(AMALGAM_PORTAL_CLOSE, (uintptr_t)id, (uintptr_t)type, 0, 0);
}

/*
 * Send up to 4 KiB. Returns when the data are on their way, whether the reader has allowed them or not. id: the
 * portal. data: the data. n: bytes, 1 to 4096. Returns 0; -EINVAL: n, or no data; -EFAULT: not the process's;
 * -EBADF: none that writes; -EBUSY: one was started and not waited for; -EIO: the cluster was lost (said once);
 * -ETIMEDOUT: it does not answer.
 */
static inline int64_t amalgam_portal_awrite(unsigned id, const void *data, size_t n)
{
    return amalgam_call(AMALGAM_PORTAL_AWRITE, (uintptr_t)id, (uintptr_t)data, (uintptr_t)n, 0);
}

/*
 * Start a read. portal_wait() ends it. id: the portal. data: where the data go. n: bytes of it, 1 to 4096. Returns
 * 0; -EINVAL: n, or no data; -EFAULT: not the process's; -EBADF: none that reads; -EACCES: nobody is allowed;
 * -EBUSY: one was started.
 */
static inline int64_t amalgam_portal_aread(unsigned id, void *data, size_t n)
{
    return amalgam_call(AMALGAM_PORTAL_AREAD, (uintptr_t)id, (uintptr_t)data, (uintptr_t)n, 0);
}

/*
 * Wait until what was started is done. id: the portal. Returns 0; -EBADF: none, or nothing was started; -EIO: the
 * other side is gone; -EFAULT: the data cannot be written to where the read wants them; -EBUSY: another thread takes
 * them.
 */
static inline int64_t amalgam_portal_wait(unsigned id)
{
    return amalgam_call(AMALGAM_PORTAL_WAIT, (uintptr_t)id, 0, 0, 0);
}

/*
 * Which port a portal has. id: the portal. Returns the port that it reads at, or that a reader sees as the writer's;
 * -EBADF: none.
 */
static inline int64_t amalgam_portal_get_port(unsigned id)
{
    return amalgam_call(AMALGAM_PORTAL_GET_PORT, (uintptr_t)id, 0, 0, 0);
}

/*
 * Make what waits on a list of clusters, whose first is the one. nodes: their numbers. n: how many, from 2 on. type:
 * who signals and who waits. Returns its descriptor; the same for the same list; -EINVAL: the list is wrong, or this
 * cluster is to signal; -EFAULT: not the process's; -EAGAIN: there are 64; -EBUSY: another process has it.
 */
static inline int64_t amalgam_sync_create(const int *nodes, unsigned n, enum amalgam_sync_create type)
{
    return amalgam_call(AMALGAM_SYNC_CREATE, (uintptr_t)nodes, (uintptr_t)n, (uintptr_t)type, 0);
}

/*
 * Make what signals a list of clusters. nodes: their numbers. n: how many, from 2 on. type: who signals and who
 * waits. Returns its descriptor; the same for the same list; -EINVAL: the list is wrong, or this cluster is to wait;
 * -EFAULT: not the process's; -EAGAIN: there are 64; -EBUSY: another process has it.
 */
static inline int64_t amalgam_sync_open(const int *nodes, unsigned n, enum amalgam_sync_open type)
{
    return amalgam_call(AMALGAM_SYNC_OPEN, (uintptr_t)nodes, (uintptr_t)n, (uintptr_t)type, 0);
}

/*
 * Give a descriptor back. id: the sync. type: unlink: one that waits; close: one that signals. Returns 0; -EINVAL:
 * not below 64; -EBADF: none.
 */
static inline int64_t amalgam_sync_close(unsigned id, enum amalgam_sync_close type)
{
    return amalgam_call(AMALGAM_SYNC_CLOSE, (uintptr_t)id, (uintptr_t)type, 0, 0);
}

/*
 * Wait for the signals. id: the sync. Returns 0; -EBADF: none that waits; -EIO: a cluster that has not signalled is
 * gone.
 */
static inline int64_t amalgam_sync_wait(unsigned id) { return amalgam_call(AMALGAM_SYNC_WAIT, (uintptr_t)id, 0, 0, 0); }

/* Signal. id: the sync. Returns 0; -EBADF: none that signals; -ETIMEDOUT: a cluster does not answer. */
static inline int64_t amalgam_sync_signal(unsigned id)
{
    return amalgam_call(AMALGAM_SYNC_SIGNAL, (uintptr_t)id, 0, 0, 0);
}

/*
 * mailbox_awrite() and mailbox_wait() in one call to the master. id: the mailbox. data: the message. n: bytes, 1 to
 * 128. Returns 0; -EINVAL: n, or no data; -EFAULT: not the process's; -EBADF: none that writes; -EIO: the cluster
 * was lost (said once); -ETIMEDOUT: it does not answer.
 */
static inline int64_t amalgam_mailbox_write(unsigned id, const void *data, size_t n)
{
    return amalgam_call(AMALGAM_MAILBOX_WRITE, (uintptr_t)id, (uintptr_t)data, (uintptr_t)n, 0);
}

/*
 * mailbox_aread() and mailbox_wait() in one call to the master. id: the mailbox. data: where the message goes. n:
 * bytes of it, 1 to 128. Returns 0; -EINVAL: n, or no data; -EFAULT: not the process's; -EBADF: none that reads, or
 * another thread waited for it; -EBUSY: one was started; -EIO: the one sender whose messages it takes was lost.
 */
static inline int64_t amalgam_mailbox_read(unsigned id, void *data, size_t n)
{
    return amalgam_call(AMALGAM_MAILBOX_READ, (uintptr_t)id, (uintptr_t)data, (uintptr_t)n, 0);
}

#endif
