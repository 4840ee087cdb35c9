/* SPDX-License-Identifier: MIT */
/*
 * portal.c - kportal_* by the calls portal_*. A transfer of several pages is one transfer of the kernel for each page:
 * all of them by one call where the cluster has a DMA engine, otherwise one by one. The kernel's permission is for one
 * transfer, so the reader repeats it for each page then.
 */
#include <nanvix/sys/portal.h>

#include "comm.h"

static struct comm portals;
static uint32_t allowed[COMM_MAX]; /* the writer that was allowed last: its port, and PORTS times its node */

#define PORTS KPORTAL_PORT_NR

void kportal_init(void) {}

static bool is_port(int port) { return WITHIN(port, 0, KPORTAL_PORT_NR); }

int kportal_create(int local, int port)
{
    if (local < 0 || !is_port(port))
        return -EINVAL;
    return comm_new(&portals, KPORTAL_IOCTL_GET_NCREATES, amalgam_portal_create((unsigned)local, (unsigned)port));
}

int kportal_open(int local, int remote, int port)
{
    if (local < 0 || remote < 0 || !is_port(port))
        return -EINVAL;
    int64_t result = amalgam_portal_open((unsigned)local, (unsigned)remote, (unsigned)port);
    return comm_new(&portals, KPORTAL_IOCTL_GET_NOPENS, result);
}

int kportal_allow(int id, int remote, int port)
{
    if (!comm_is_id(id) || remote < 0 || port < 0)
        return -EINVAL;
    int64_t result = amalgam_portal_allow((unsigned)id, (unsigned)remote, (unsigned)port);
    if (result >= 0)
        __atomic_store_n(&allowed[id], (uint32_t)remote * PORTS + (uint32_t)port, __ATOMIC_RELAXED);
    return (int)nanvix_result(result);
}

int kportal_unlink(int id)
{
    if (!comm_is_id(id))
        return -EINVAL;
    int64_t result = amalgam_portal_close((unsigned)id, AMALGAM_PORTAL_CLOSE_UNLINK);
    return comm_gone(&portals, KPORTAL_IOCTL_GET_NUNLINKS, result);
}

int kportal_close(int id)
{
    if (!comm_is_id(id))
        return -EINVAL;
    int64_t result = amalgam_portal_close((unsigned)id, AMALGAM_PORTAL_CLOSE_CLOSE);
    return comm_gone(&portals, KPORTAL_IOCTL_GET_NCLOSES, result);
}

static bool is_transfer(int id, const void *buffer, size_t size, size_t most)
{
    return comm_is_id(id) && buffer && WITHIN(size, 1, most + 1);
}

static ssize_t started(int id, uint64_t start, size_t size, int64_t result, unsigned request)
{
    if (result < 0)
        return nanvix_result(result);
    comm_count(&portals, request);
    comm_moved(&portals, id, start, size);
    return (ssize_t)size;
}

ssize_t kportal_awrite(int id, const void *buffer, size_t size)
{
    uint64_t start = amalgam_clock();
    int64_t result;
    if (!is_transfer(id, buffer, size, HAL_PORTAL_DATA_SIZE))
        return -EINVAL;
    for (unsigned turn = 0; comm_again(result = amalgam_portal_awrite((unsigned)id, buffer, size), turn); turn++)
        ;
    return started(id, start, size, result, KPORTAL_IOCTL_GET_NWRITES);
}

ssize_t kportal_aread(int id, void *buffer, size_t size)
{
    uint64_t start = amalgam_clock();
    int64_t result;
    if (!is_transfer(id, buffer, size, HAL_PORTAL_DATA_SIZE))
        return -EINVAL;
    for (unsigned turn = 0; comm_again(result = amalgam_portal_aread((unsigned)id, buffer, size), turn); turn++)
        ;
    return started(id, start, size, result, KPORTAL_IOCTL_GET_NREADS);
}

int kportal_wait(int id)
{
    uint64_t start = amalgam_clock();
    if (!comm_is_id(id))
        return -EINVAL;
    int64_t result = COMM_WHOLE(amalgam_portal_wait((unsigned)id));
    if (result >= 0)
        comm_moved(&portals, id, start, 0);
    return (int)nanvix_result(result);
}

static size_t piece(size_t left) { return left < HAL_PORTAL_DATA_SIZE ? left : HAL_PORTAL_DATA_SIZE; }

typedef int64_t long_call(unsigned id, void *buffer, size_t size);

static int64_t write_long(unsigned id, void *buffer, size_t size) { return amalgam_portal_write(id, buffer, size); }
static int64_t read_long(unsigned id, void *buffer, size_t size) { return amalgam_portal_read(id, buffer, size); }

/* Move more than a page by the DMA engine. Returns false if there is none: then nothing was done. */
static bool moved_long(int id, void *buffer, size_t size, long_call *call, unsigned request, ssize_t *result)
{
    uint64_t start = amalgam_clock();
    int64_t error;
    if (size <= HAL_PORTAL_DATA_SIZE)
        return false;
    for (unsigned turn = 0; comm_again(error = call((unsigned)id, buffer, size), turn); turn++)
        ;
    if (error == -AMALGAM_ENOSYS)
        return false;
    if (!error)
        comm_count_all(&portals, request, (size - 1) / HAL_PORTAL_DATA_SIZE); /* and one more in started() */
    *result = started(id, start, size, error, request);
    return true;
}

ssize_t kportal_write(int id, const void *buffer, size_t size)
{
    ssize_t moved;
    if (!is_transfer(id, buffer, size, KPORTAL_MAX_SIZE))
        return -EINVAL;
    if (moved_long(id, (void *)buffer, size, write_long, KPORTAL_IOCTL_GET_NWRITES, &moved))
        return moved;
    for (size_t done = 0; done < size; done += piece(size - done)) {
        ssize_t result = kportal_awrite(id, (const char *)buffer + done, piece(size - done));
        if (result >= 0)
            result = kportal_wait(id);
        if (result < 0)
            return result;
    }
    return (ssize_t)size;
}

ssize_t kportal_read(int id, void *buffer, size_t size)
{
    ssize_t moved;
    if (!is_transfer(id, buffer, size, KPORTAL_MAX_SIZE))
        return -EINVAL;
    if (moved_long(id, buffer, size, read_long, KPORTAL_IOCTL_GET_NREADS, &moved))
        return moved;
    /* The writer of all pieces, also if another thread allows one meanwhile. */
    uint32_t writer = __atomic_load_n(&allowed[id], __ATOMIC_RELAXED);
    for (size_t done = 0; done < size; done += piece(size - done)) {
        ssize_t result = done ? kportal_allow(id, (int)(writer / PORTS), (int)(writer % PORTS)) : 0;
        if (result >= 0)
            result = kportal_aread(id, (char *)buffer + done, piece(size - done));
        if (result >= 0)
            result = kportal_wait(id);
        if (result < 0)
            return result;
    }
    return (ssize_t)size;
}

int kportal_get_port(int id)
{
    return comm_is_id(id) ? (int)nanvix_result(amalgam_portal_get_port((unsigned)id)) : -EINVAL;
}

int kportal_ioctl(int id, unsigned request, ...)
{
    int error = kportal_get_port(id);
    if (error < 0)
        return error;
    va_list more;
    va_start(more, request);
    error = comm_ioctl(&portals, id, request, KPORTAL_IOCTL_GET_NWRITES, va_arg(more, void *));
    va_end(more);
    return error;
}
