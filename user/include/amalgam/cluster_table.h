/* SPDX-License-Identifier: MIT */
/* Made from kernel/api/cluster.yaml by tools/amalgam/api/generate.py: edit that. */
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
    AMALGAM_PORTAL_WRITE = 0x4e56001f,
    AMALGAM_PORTAL_READ = 0x4e560020,
    AMALGAM_MAILBOX_TRY_WRITE = 0x4e560021,
    AMALGAM_MAILBOX_RECEIVE = 0x4e560022,
    AMALGAM_PORTAL_TRY_WRITE = 0x4e560023,
    AMALGAM_CLUSTERS_END
};

enum amalgam_cluster_info {
    AMALGAM_CLUSTER_INFO_NODE,
    AMALGAM_CLUSTER_INFO_NODES,
    AMALGAM_CLUSTER_INFO_AWAKE_LIMIT,
    AMALGAM_CLUSTER_INFO_AWAKE,
    AMALGAM_CLUSTER_INFO_AWAKE_MOST,
    AMALGAM_CLUSTER_INFO_LIFE,
    AMALGAM_CLUSTER_INFO_DROPPED,
    AMALGAM_CLUSTER_INFO_PROCESS_LIFE
};
enum amalgam_mailbox_close { AMALGAM_MAILBOX_CLOSE_UNLINK, AMALGAM_MAILBOX_CLOSE_CLOSE };
enum amalgam_portal_close { AMALGAM_PORTAL_CLOSE_UNLINK, AMALGAM_PORTAL_CLOSE_CLOSE };
enum amalgam_sync_create { AMALGAM_SYNC_CREATE_ONE_TO_ALL, AMALGAM_SYNC_CREATE_ALL_TO_ONE };
enum amalgam_sync_open { AMALGAM_SYNC_OPEN_ONE_TO_ALL, AMALGAM_SYNC_OPEN_ALL_TO_ONE };
enum amalgam_sync_close { AMALGAM_SYNC_CLOSE_UNLINK, AMALGAM_SYNC_CLOSE_CLOSE };

/* Do nothing, on the master core; for measuring what a remote call costs. Returns 0. */
static inline int64_t amalgam_remote_null(void) { return amalgam_call(AMALGAM_REMOTE_NULL, 0, 0, 0, 0); }

/*
 * Read one fact about the clusters. field: node: this cluster's number; nodes: how many there are; awake_limit: how
 * many cores that run programs may be awake at the same time, 0: all; awake, awake_most: how many are, and were at
 * most, 0 without a limit; life: the number of this cluster's life, from 1; dropped: how much has come that named a
 * former life of a cluster or process, and was dropped; process_life: the number of this process's life in this life
 * of its cluster, from 1. Returns the field's value.
 */
static inline int64_t amalgam_cluster_info(enum amalgam_cluster_info field)
{
    return amalgam_call(AMALGAM_CLUSTER_INFO, (uintptr_t)field, 0, 0, 0);
}

/*
 * Create a mailbox that receives what is sent to a port of this cluster. local: this cluster. port: the port, below
 * 16. Returns its descriptor; -EINVAL: not this cluster or no such port; -EBUSY: the port has one already; -EAGAIN:
 * all 64 are in use, or the process's share is.
 */
static inline int64_t amalgam_mailbox_create(unsigned local, unsigned port)
{
    return amalgam_call(AMALGAM_MAILBOX_CREATE, (uintptr_t)local, (uintptr_t)port, 0, 0);
}

/*
 * Create a mailbox that sends to a port of a cluster. remote: the receiver's cluster. port: the port, below 16.
 * Returns its descriptor; -EINVAL: no such cluster or port; -EAGAIN: all 64 or all 16 to that cluster are in use, or
 * the process's share is.
 */
static inline int64_t amalgam_mailbox_open(unsigned remote, unsigned port)
{
    return amalgam_call(AMALGAM_MAILBOX_OPEN, (uintptr_t)remote, (uintptr_t)port, 0, 0);
}

/*
 * Free a descriptor. id: the mailbox. type: unlink: it receives; close: it sends. Returns 0; -EINVAL: the descriptor
 * is not below 64; -EBADF: the descriptor is not open, or not of this type; -EBUSY: a read is not finished, or a
 * later message of a cluster has overtaken one at this port.
 */
static inline int64_t amalgam_mailbox_close(unsigned id, enum amalgam_mailbox_close type)
{
    return amalgam_call(AMALGAM_MAILBOX_CLOSE, (uintptr_t)id, (uintptr_t)type, 0, 0);
}

/*
 * Let the next read take only messages of one sender. id: the mailbox. remote: the sender's cluster; the number of
 * clusters means any. port: the sender's port; 16 means any. Returns 0; -EINVAL: an argument is out of range;
 * -EBADF: the descriptor is not open; -EFAULT: the mailbox sends, or a sender is set already.
 */
static inline int64_t amalgam_mailbox_set_remote(unsigned id, unsigned remote, unsigned port)
{
    return amalgam_call(AMALGAM_MAILBOX_SET_REMOTE, (uintptr_t)id, (uintptr_t)remote, (uintptr_t)port, 0);
}

/*
 * Send a message, padded with zeros. Returns when it is sent; the receiver may not have read it. id: the mailbox.
 * data: the message. n: bytes, 1 to 128. Returns 0; -EINVAL: n is out of range, or data is NULL; -EFAULT: data is
 * not the process's memory; -EBADF: no descriptor that sends; -EIO: the cluster was lost (returned once);
 * -ETIMEDOUT: the cluster does not answer; -EINTR: a signal came, nothing was sent.
 */
static inline int64_t amalgam_mailbox_awrite(unsigned id, const void *data, size_t n)
{
    return amalgam_call(AMALGAM_MAILBOX_AWRITE, (uintptr_t)id, (uintptr_t)data, (uintptr_t)n, 0);
}

/*
 * Start a read. mailbox_wait() ends it. id: the mailbox. data: gets the message. n: bytes of `data`, 1 to 128.
 * Returns 0; -EINVAL: n is out of range, or data is NULL; -EFAULT: data is not the process's memory; -EBADF: no
 * descriptor that receives; -EBUSY: a read was started already.
 */
static inline int64_t amalgam_mailbox_aread(unsigned id, void *data, size_t n)
{
    return amalgam_call(AMALGAM_MAILBOX_AREAD, (uintptr_t)id, (uintptr_t)data, (uintptr_t)n, 0);
}

/*
 * Wait until the read or write that was started is finished. id: the mailbox. Returns 0; -EBADF: the descriptor is
 * not open, or nothing was started; -EIO: the sender that was set was lost or has ended (returned once); -EFAULT:
 * the message cannot be written to the memory that the read named; -EINTR: a signal came; the read is still started.
 */
static inline int64_t amalgam_mailbox_wait(unsigned id)
{
    return amalgam_call(AMALGAM_MAILBOX_WAIT, (uintptr_t)id, 0, 0, 0);
}

/*
 * Ask for the port of a mailbox. id: the mailbox. Returns the port at which it receives, or the sender's port that a
 * receiver sees; -EBADF: the descriptor is not open.
 */
static inline int64_t amalgam_mailbox_get_port(unsigned id)
{
    return amalgam_call(AMALGAM_MAILBOX_GET_PORT, (uintptr_t)id, 0, 0, 0);
}

/*
 * Create a portal that receives at a port of this cluster. local: this cluster. port: the port, below 16. Returns
 * its descriptor; -EINVAL: not this cluster or no such port; -EBUSY: the port has one already; -EAGAIN: all 64 are
 * in use, or the process's share is.
 */
static inline int64_t amalgam_portal_create(unsigned local, unsigned port)
{
    return amalgam_call(AMALGAM_PORTAL_CREATE, (uintptr_t)local, (uintptr_t)port, 0, 0);
}

/*
 * Allow a writer one transfer of at most 4 KiB. id: the portal. remote: the writer's cluster. port: the writer's
 * port, which its portal_get_port() returns. Returns 0; -EINVAL: an argument is out of range; -EBADF: no descriptor
 * that receives; -EBUSY: a transfer is allowed already; -EIO: the cluster was lost (returned once).
 */
static inline int64_t amalgam_portal_allow(unsigned id, unsigned remote, unsigned port)
{
    return amalgam_call(AMALGAM_PORTAL_ALLOW, (uintptr_t)id, (uintptr_t)remote, (uintptr_t)port, 0);
}

/*
 * Create a portal that sends. local: this cluster. remote: the reader's cluster. port: the reader's port, below 16.
 * Returns its descriptor; -EINVAL: an argument is out of range; -EAGAIN: all 64 or all 16 to that cluster are in
 * use, or the process's share is, or the outbox has no room for data.
 */
static inline int64_t amalgam_portal_open(unsigned local, unsigned remote, unsigned port)
{
    return amalgam_call(AMALGAM_PORTAL_OPEN, (uintptr_t)local, (uintptr_t)remote, (uintptr_t)port, 0);
}

/*
 * Free a descriptor. id: the portal. type: unlink: it receives; close: it sends. Returns 0; -EINVAL: the descriptor
 * is not below 64; -EBADF: the descriptor is not open, or not of this type; -EBUSY: a transfer is not finished, or
 * later data of a cluster have overtaken data at this port.
 */
static inline int64_t amalgam_portal_close(unsigned id, enum amalgam_portal_close type)
{
    return amalgam_call(AMALGAM_PORTAL_CLOSE, (uintptr_t)id, (uintptr_t)type, 0, 0);
}

/*
 * Send up to 4 KiB. Returns when the data are sent, whether the reader has allowed them or not. id: the portal.
 * data: the data. n: bytes, 1 to 4096. Returns 0; -EINVAL: n is out of range, or data is NULL; -EFAULT: data is not
 * the process's memory; -EBADF: no descriptor that sends; -EBUSY: a write was started and not waited for; -EIO: the
 * cluster was lost (returned once); -ETIMEDOUT: the cluster does not answer; -EINTR: a signal came, nothing was
 * sent.
 */
static inline int64_t amalgam_portal_awrite(unsigned id, const void *data, size_t n)
{
    return amalgam_call(AMALGAM_PORTAL_AWRITE, (uintptr_t)id, (uintptr_t)data, (uintptr_t)n, 0);
}

/*
 * Start a read. portal_wait() ends it. id: the portal. data: gets the data. n: bytes of `data`, 1 to 4096. Returns
 * 0; -EINVAL: n is out of range, or data is NULL; -EFAULT: data is not the process's memory; -EBADF: no descriptor
 * that receives; -EACCES: no transfer was allowed; -EBUSY: a read was started already.
 */
static inline int64_t amalgam_portal_aread(unsigned id, void *data, size_t n)
{
    return amalgam_call(AMALGAM_PORTAL_AREAD, (uintptr_t)id, (uintptr_t)data, (uintptr_t)n, 0);
}

/*
 * Wait until the read or write that was started is finished. id: the portal. Returns 0; -EBADF: the descriptor is
 * not open, or nothing was started; -EIO: the other side was lost or has ended; -EFAULT: the data cannot be written
 * to the memory that the read named; -EBUSY: another thread is copying them; -EINTR: a signal came; the read is
 * still started.
 */
static inline int64_t amalgam_portal_wait(unsigned id)
{
    return amalgam_call(AMALGAM_PORTAL_WAIT, (uintptr_t)id, 0, 0, 0);
}

/*
 * Ask for the port of a portal. id: the portal. Returns the port at which it receives, or the writer's port that a
 * reader sees; -EBADF: the descriptor is not open.
 */
static inline int64_t amalgam_portal_get_port(unsigned id)
{
    return amalgam_call(AMALGAM_PORTAL_GET_PORT, (uintptr_t)id, 0, 0, 0);
}

/*
 * Create a sync that waits, for a list of clusters. The first of the list is the one in one_to_all and all_to_one.
 * nodes: the clusters' numbers. n: how many clusters, at least 2. type: which side signals and which waits. Returns
 * its descriptor, the same one for the same list; -EINVAL: the list is wrong, or this cluster has to signal;
 * -EFAULT: the list is not the process's memory; -EAGAIN: all 64 are in use, or the process's share is; -EBUSY:
 * another process has it.
 */
static inline int64_t amalgam_sync_create(const int *nodes, unsigned n, enum amalgam_sync_create type)
{
    return amalgam_call(AMALGAM_SYNC_CREATE, (uintptr_t)nodes, (uintptr_t)n, (uintptr_t)type, 0);
}

/*
 * Create a sync that signals, for a list of clusters as in sync_create. nodes: the clusters' numbers. n: how many
 * clusters, at least 2. type: which side signals and which waits. Returns its descriptor, the same one for the same
 * list; -EINVAL: the list is wrong, or this cluster has to wait; -EFAULT: the list is not the process's memory;
 * -EAGAIN: all 64 are in use, or the process's share is; -EBUSY: another process has it.
 */
static inline int64_t amalgam_sync_open(const int *nodes, unsigned n, enum amalgam_sync_open type)
{
    return amalgam_call(AMALGAM_SYNC_OPEN, (uintptr_t)nodes, (uintptr_t)n, (uintptr_t)type, 0);
}

/*
 * Free a descriptor. id: the sync. type: unlink: it waits; close: it signals. Returns 0; -EINVAL: the descriptor is
 * not below 64; -EBADF: the descriptor is not open, or not of this type.
 */
static inline int64_t amalgam_sync_close(unsigned id, enum amalgam_sync_close type)
{
    return amalgam_call(AMALGAM_SYNC_CLOSE, (uintptr_t)id, (uintptr_t)type, 0, 0);
}

/*
 * Wait until the clusters have signalled. id: the sync. Returns 0; -EBADF: no descriptor that waits; -EIO: a cluster
 * that has not signalled was lost; -EINTR: a signal came; those of the clusters are kept.
 */
static inline int64_t amalgam_sync_wait(unsigned id) { return amalgam_call(AMALGAM_SYNC_WAIT, (uintptr_t)id, 0, 0, 0); }

/*
 * Signal the clusters that wait. id: the sync. Returns 0; -EBADF: no descriptor that signals; -EIO: a cluster was
 * lost (returned once); it was not told, all others were; -ETIMEDOUT: a cluster does not answer; those that do were
 * told; -EINTR: a signal came, no cluster was told.
 */
static inline int64_t amalgam_sync_signal(unsigned id)
{
    return amalgam_call(AMALGAM_SYNC_SIGNAL, (uintptr_t)id, 0, 0, 0);
}

/*
 * mailbox_awrite() and mailbox_wait() in one call to the master. id: the mailbox. data: the message. n: bytes, 1 to
 * 128. Returns 0; -EINVAL: n is out of range, or data is NULL; -EFAULT: data is not the process's memory; -EBADF: no
 * descriptor that sends; -EIO: the cluster was lost (returned once); -ETIMEDOUT: the cluster does not answer;
 * -EINTR: a signal came, nothing was sent.
 */
static inline int64_t amalgam_mailbox_write(unsigned id, const void *data, size_t n)
{
    return amalgam_call(AMALGAM_MAILBOX_WRITE, (uintptr_t)id, (uintptr_t)data, (uintptr_t)n, 0);
}

/*
 * mailbox_aread() and mailbox_wait() in one call to the master. id: the mailbox. data: gets the message. n: bytes of
 * `data`, 1 to 128. Returns 0; -EINVAL: n is out of range, or data is NULL; -EFAULT: data is not the process's
 * memory; -EBADF: no descriptor that receives, or another thread has waited for this read; -EBUSY: a read was
 * started already; -EIO: the sender that was set was lost or has ended (returned once); -EINTR: a signal came, no
 * message was taken.
 */
static inline int64_t amalgam_mailbox_read(unsigned id, void *data, size_t n)
{
    return amalgam_call(AMALGAM_MAILBOX_READ, (uintptr_t)id, (uintptr_t)data, (uintptr_t)n, 0);
}

/*
 * Send up to a MiB by the DMA engine, as one transfer for each of its pages. Returns when all are sent. Pages that
 * the program unmaps meanwhile stay its own until then. id: the portal. data: the data. n: bytes, 1 to 1048576.
 * Returns 0; -EINVAL: n is out of range, or data is NULL; -ENOSYS: this cluster has no DMA engine, or its caches are
 * not coherent: portal_awrite() each page; -EFAULT: data is not the process's memory; -EBADF: no descriptor that
 * sends; -EBUSY: a write was started and not waited for; -EIO: the cluster was lost (returned once); -ETIMEDOUT: the
 * cluster does not answer; -EINTR: a signal came, nothing was sent.
 */
static inline int64_t amalgam_portal_write(unsigned id, const void *data, size_t n)
{
    return amalgam_call(AMALGAM_PORTAL_WRITE, (uintptr_t)id, (uintptr_t)data, (uintptr_t)n, 0);
}

/*
 * Read up to a MiB by the DMA engine: one transfer for each page of `data`, all by one permission. Returns when all
 * were read. id: the portal. data: gets the data. n: bytes, 1 to 1048576. Returns 0; -EINVAL: n is out of range, or
 * data is NULL; -ENOSYS: this cluster has no DMA engine, or its caches are not coherent: portal_aread() each page;
 * -EFAULT: data is not the process's memory, or cannot be written; -EBADF: no descriptor that receives; -EACCES: no
 * transfer was allowed; -EBUSY: a read was started already; -EIO: the cluster was lost or the writer has ended;
 * -EINTR: a signal came, nothing was read and the permission is still there.
 */
static inline int64_t amalgam_portal_read(unsigned id, void *data, size_t n)
{
    return amalgam_call(AMALGAM_PORTAL_READ, (uintptr_t)id, (uintptr_t)data, (uintptr_t)n, 0);
}

/*
 * mailbox_write() that does not wait for room. For a server, which no client may hold up. id: the mailbox. data: the
 * message. n: bytes, 1 to 128. Returns 0; -EINVAL: n is out of range, or data is NULL; -EFAULT: data is not the
 * process's memory; -EBADF: no descriptor that sends; -EAGAIN: the cluster has not read what was sent before, or
 * does not answer; nothing was sent; -EIO: the cluster was lost (returned once).
 */
static inline int64_t amalgam_mailbox_try_write(unsigned id, const void *data, size_t n)
{
    return amalgam_call(AMALGAM_MAILBOX_TRY_WRITE, (uintptr_t)id, (uintptr_t)data, (uintptr_t)n, 0);
}

/*
 * mailbox_read() that says who has sent the message. The sender's cluster cannot lie about its number. id: the
 * mailbox. data: gets the message. n: bytes of `data`, 1 to 128. Returns 256 times the sender's cluster, plus the
 * port from which it sends; -EINVAL: n is out of range, or data is NULL; -EFAULT: data is not the process's memory;
 * -EBADF: no descriptor that receives, or another thread has waited for this read; -EBUSY: a read was started
 * already; -EIO: the sender that was set was lost or has ended (returned once); -EINTR: a signal came, no message
 * was taken.
 */
static inline int64_t amalgam_mailbox_receive(unsigned id, void *data, size_t n)
{
    return amalgam_call(AMALGAM_MAILBOX_RECEIVE, (uintptr_t)id, (uintptr_t)data, (uintptr_t)n, 0);
}

/*
 * portal_awrite() and portal_wait() in one call, that does not wait for room. For a server, which no client may hold
 * up. id: the portal. data: the data. n: bytes, 1 to 4096. Returns 0; -EINVAL: n is out of range, or data is NULL;
 * -EFAULT: data is not the process's memory; -EBADF: no descriptor that sends; -EBUSY: a write was started and not
 * waited for; -EAGAIN: the process has its share of buffers, or the cluster has not read what this process has sent
 * it before; nothing was sent; -EIO: the cluster was lost (returned once); -ETIMEDOUT: the cluster does not answer;
 * -EINTR: a signal came, nothing was sent.
 */
static inline int64_t amalgam_portal_try_write(unsigned id, const void *data, size_t n)
{
    return amalgam_call(AMALGAM_PORTAL_TRY_WRITE, (uintptr_t)id, (uintptr_t)data, (uintptr_t)n, 0);
}

#endif
