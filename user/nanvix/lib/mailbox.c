/* SPDX-License-Identifier: MIT */
/* mailbox.c - kmailbox_* by the calls mailbox_*. A function waits while another thread uses the mailbox. */
#include <nanvix/sys/mailbox.h>

#include "comm.h"

static struct comm boxes;

void kmailbox_init(void) {}

static bool is_port(int port) { return WITHIN(port, 0, KMAILBOX_PORT_NR); }

int kmailbox_create(int local, int port)
{
    if (local < 0 || !is_port(port))
        return -EINVAL;
    return comm_new(&boxes, KMAILBOX_IOCTL_GET_NCREATES, amalgam_mailbox_create((unsigned)local, (unsigned)port));
}

int kmailbox_open(int remote, int port)
{
    if (remote < 0 || !is_port(port))
        return -EINVAL;
    return comm_new(&boxes, KMAILBOX_IOCTL_GET_NOPENS, amalgam_mailbox_open((unsigned)remote, (unsigned)port));
}

int kmailbox_unlink(int id)
{
    if (!comm_is_id(id))
        return -EINVAL;
    int64_t result = amalgam_mailbox_close((unsigned)id, AMALGAM_MAILBOX_CLOSE_UNLINK);
    return comm_gone(&boxes, KMAILBOX_IOCTL_GET_NUNLINKS, result);
}

int kmailbox_close(int id)
{
    if (!comm_is_id(id))
        return -EINVAL;
    int64_t result = amalgam_mailbox_close((unsigned)id, AMALGAM_MAILBOX_CLOSE_CLOSE);
    return comm_gone(&boxes, KMAILBOX_IOCTL_GET_NCLOSES, result);
}

static bool is_message(int id, const void *buffer, size_t size)
{
    return comm_is_id(id) && buffer && WITHIN(size, 1, KMAILBOX_MESSAGE_SIZE + 1);
}

/* Note that a read or write on `id`, begun at time `start`, returned `result`. Returns `size` or Nanvix' error. */
static ssize_t started(int id, uint64_t start, size_t size, int64_t result, unsigned request)
{
    if (result < 0)
        return nanvix_result(result);
    comm_count(&boxes, request);
    comm_moved(&boxes, id, start, size);
    return (ssize_t)size;
}

ssize_t kmailbox_awrite(int id, const void *buffer, size_t size)
{
    uint64_t start = amalgam_clock();
    int64_t result;
    if (!is_message(id, buffer, size))
        return -EINVAL;
    for (unsigned turn = 0; comm_again(result = amalgam_mailbox_awrite((unsigned)id, buffer, size), turn); turn++)
        ;
    return started(id, start, size, result, KMAILBOX_IOCTL_GET_NWRITES);
}

ssize_t kmailbox_aread(int id, void *buffer, size_t size)
{
    uint64_t start = amalgam_clock();
    int64_t result;
    if (!is_message(id, buffer, size))
        return -EINVAL;
    for (unsigned turn = 0; comm_again(result = amalgam_mailbox_aread((unsigned)id, buffer, size), turn); turn++)
        ;
    return started(id, start, size, result, KMAILBOX_IOCTL_GET_NREADS);
}

int kmailbox_wait(int id)
{
    uint64_t start = amalgam_clock();
    if (!comm_is_id(id))
        return -EINVAL;
    int64_t result = COMM_WHOLE(amalgam_mailbox_wait((unsigned)id));
    if (result >= 0)
        comm_moved(&boxes, id, start, 0);
    return (int)nanvix_result(result);
}

/* These make one remote call each; kmailbox_awrite() and kmailbox_wait() would be two. */
ssize_t kmailbox_write(int id, const void *buffer, size_t size)
{
    uint64_t start = amalgam_clock();
    if (!is_message(id, buffer, size))
        return -EINVAL;
    int64_t result = COMM_WHOLE(amalgam_mailbox_write((unsigned)id, buffer, size));
    return started(id, start, size, result, KMAILBOX_IOCTL_GET_NWRITES);
}

ssize_t kmailbox_read(int id, void *buffer, size_t size)
{
    uint64_t start = amalgam_clock();
    int64_t result;
    if (!is_message(id, buffer, size))
        return -EINVAL;
    for (unsigned turn = 0; comm_again(result = amalgam_mailbox_read((unsigned)id, buffer, size), turn); turn++)
        ;
    return started(id, start, size, result, KMAILBOX_IOCTL_GET_NREADS);
}

int kmailbox_set_remote(int id, int remote, int port)
{
    int64_t nodes = amalgam_cluster_info(AMALGAM_CLUSTER_INFO_NODES);
    if (nodes < 0)
        return (int)nanvix_result(nodes);
    bool any = remote == MAILBOX_ANY_SOURCE;
    if (!comm_is_id(id) || (!any && !WITHIN(remote, 0, nodes)) || !WITHIN(port, 0, MAILBOX_ANY_PORT + 1))
        return -EINVAL;
    unsigned from = any ? (unsigned)nodes : (unsigned)remote;
    return (int)nanvix_result(amalgam_mailbox_set_remote((unsigned)id, from, (unsigned)port));
}

int kmailbox_get_port(int id)
{
    return comm_is_id(id) ? (int)nanvix_result(amalgam_mailbox_get_port((unsigned)id)) : -EINVAL;
}

int kmailbox_ioctl(int id, unsigned request, ...)
{
    int error = kmailbox_get_port(id);
    if (error < 0)
        return error;
    va_list more;
    va_start(more, request);
    if (request == KMAILBOX_IOCTL_SET_REMOTE) {
        int remote = va_arg(more, int);
        int port = va_arg(more, int);
        error = kmailbox_set_remote(id, remote, port);
    } else {
        error = comm_ioctl(&boxes, id, request, KMAILBOX_IOCTL_GET_NWRITES, va_arg(more, void *));
    }
    va_end(more);
    return error;
}
