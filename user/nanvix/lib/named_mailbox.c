/* SPDX-License-Identifier: MIT */
/* named_mailbox.c - nanvix_mailbox_*(), see nanvix/runtime/pm/mailbox.h. */
#include <nanvix/runtime/pm/mailbox.h>
#include <nanvix/runtime/stdikc.h>
#include <nanvix/sys/mailbox.h>
#include <nanvix/sys/noc.h>

#include "named.h"

static struct named_table table = { .unlink = kmailbox_unlink };

int nanvix_mailbox_create(const char *name) { return named_create(&table, name, stdinbox_get(), false); }

int nanvix_mailbox_create2(const char *name, int port)
{
    if (!WITHIN(port, NANVIX_GENERAL_PORTS_BASE, KMAILBOX_PORT_NR))
        return -EINVAL;
    return named_create(&table, name, kmailbox_create(knode_get_num(), port), true);
}

int nanvix_mailbox_open(const char *name, int port)
{
    int node = nanvix_name_lookup(name);
    return named_open(&table, node < 0 ? node : kmailbox_open(node, port), kmailbox_close);
}

int nanvix_mailbox_read(int id, void *buf, size_t n)
{
    int fd = named_fd(&table, id, true, -ENOTSUP);
    int done = fd < 0 ? fd : (int)kmailbox_read(fd, buf, n);
    return done < 0 ? done : 0;
}

int nanvix_mailbox_write(int id, const void *buf, size_t n)
{
    int fd = named_fd(&table, id, false, -ENOTSUP);
    int done = fd < 0 ? fd : (int)kmailbox_write(fd, buf, n);
    return done < 0 ? done : 0;
}

int nanvix_mailbox_set_remote(int id, int remote, int port)
{
    int fd = named_fd(&table, id, true, -ENOTSUP);
    return fd < 0 ? fd : kmailbox_set_remote(fd, remote, port);
}

int nanvix_mailbox_close(int id) { return named_free(&table, id, false, kmailbox_close); }
int nanvix_mailbox_unlink(int id) { return named_free(&table, id, true, kmailbox_unlink); }
