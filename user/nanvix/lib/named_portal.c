/* SPDX-License-Identifier: MIT */
/* named_portal.c - nanvix_portal_*(), see nanvix/runtime/pm/portal.h. */
#include <nanvix/runtime/pm/portal.h>
#include <nanvix/runtime/stdikc.h>
#include <nanvix/sys/noc.h>
#include <nanvix/sys/portal.h>

#include "named.h"

static struct named_table table = { .unlink = kportal_unlink };

int nanvix_portal_create(const char *name) { return named_create(&table, name, stdinportal_get(), false); }

int nanvix_portal_create2(const char *name, int port)
{
    if (!WITHIN(port, NANVIX_GENERAL_PORTS_BASE, KPORTAL_PORT_NR))
        return -EINVAL;
    return named_create(&table, name, kportal_create(knode_get_num(), port), true);
}

int nanvix_portal_open(const char *name, int port)
{
    int node = nanvix_name_lookup(name);
    return named_open(&table, node < 0 ? node : kportal_open(knode_get_num(), node, port), kportal_close);
}

int nanvix_portal_allow2(int id, int node, int port)
{
    int fd = named_fd(&table, id, true, -ENOTSUP);
    return fd < 0 ? fd : kportal_allow(fd, node, port);
}

int nanvix_portal_allow(int id, int node)
{
    int fd = named_fd(&table, id, true, -ENOTSUP);
    return fd < 0 ? fd : kportal_allow(fd, node, kportal_get_port(fd));
}

int nanvix_portal_read(int id, void *buf, size_t n)
{
    int fd = named_fd(&table, id, true, -ENOTSUP);
    return fd < 0 ? fd : (int)kportal_read(fd, buf, n);
}

int nanvix_portal_write(int id, const void *buf, size_t n)
{
    int fd = named_fd(&table, id, false, -ENOTSUP);
    return fd < 0 ? fd : (int)kportal_write(fd, buf, n);
}

int nanvix_portal_get_port(int id)
{
    int fd = named_fd(&table, id, true, -EPERM);
    fd = fd == -EPERM ? named_fd(&table, id, false, -EPERM) : fd;
    return fd < 0 ? fd : kportal_get_port(fd);
}

int nanvix_portal_close(int id) { return named_free(&table, id, false, kportal_close); }
int nanvix_portal_unlink(int id) { return named_free(&table, id, true, kportal_unlink); }
