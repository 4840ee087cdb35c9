/* SPDX-License-Identifier: MIT */
/*
 * virtio-blk.h - drives a virtio disk (Virtual I/O Device 1.1, 5.2) as a process's device (amalgam/dma.h): one request
 * at a time, which is waited for. One thread at a time uses a disk.
 *
 * A request is a head that the disk reads, the data, and a byte of status that the disk writes. All three have their
 * places in the pinned memory.
 */
#ifndef AMALGAM_DRIVERS_VIRTIO_BLK_H
#define AMALGAM_DRIVERS_VIRTIO_BLK_H

#include <amalgam/dma.h>
#include <stdbool.h>
#include <string.h>

#define DISK_SECTOR 512u
#define DISK_MOST   65536u         /* bytes of a request */
#define DISK_LATEST 10000000000ull /* ns that a request may take; a disk that takes longer is used no more */

enum { DISK_HEAD = 0, DISK_STATUS = 64, DISK_DATA = 4096 }; /* places */
enum { DISK_READ = 0, DISK_WRITE = 1, DISK_FLUSH = 4 };     /* kinds of requests */

struct disk {
    unsigned device;  /* the handle */
    uint8_t *memory;  /* pinned */
    uint64_t sectors; /* of 512 bytes */
    bool lost;        /* a request is the disk's still: what lies in the pinned memory may change at any time */
};

/* Find the disk, the process's device `n`. Returns 0 or an error of the kernel's; -ENODEV: the device is another one.
 */
static inline int64_t disk_open(struct disk *d, unsigned n)
{
    uint8_t *memory;
    int64_t found = amalgam_device_open_kind(n, AMALGAM_VIRTIO_BLOCK, DISK_DATA + DISK_MOST, &memory);
    if (found < 0)
        return found;
    unsigned device = (unsigned)found;
    uint64_t low = (uint64_t)amalgam_device_read(device, 0, 4), high = (uint64_t)amalgam_device_read(device, 4, 4);
    *d = (struct disk){ .device = device, .memory = memory, .sectors = high << 32 | low };
    return 0;
}

/* Offer the pieces of a request. Returns its number or an error. */
static inline int64_t disk_offer(const struct disk *d, uint32_t kind, uint32_t n)
{
    int64_t err = amalgam_dma_submit(d->device, AMALGAM_DMA_MORE, DISK_HEAD, 16);
    if (err >= 0 && n)
        err = amalgam_dma_submit(d->device, AMALGAM_DMA_MORE | (kind == DISK_READ ? AMALGAM_DMA_WRITES : 0), DISK_DATA,
                                 n);
    return err < 0 ? err : amalgam_dma_submit(d->device, AMALGAM_DMA_WRITES, DISK_STATUS, 1);
}

/*
 * Wait until the disk is done with request `number`, which is the only one, and has written `least` bytes. Returns 0 or
 * -EIO. A disk that says anything else, or nothing by `latest`, however often it interrupts, is lost.
 */
static inline int64_t disk_await(struct disk *d, int64_t number, uint32_t least)
{
    uint64_t latest = (uint64_t)amalgam_clock() + DISK_LATEST;
    int64_t done;
    while ((done = amalgam_dma_done(d->device, 0)) == -AMALGAM_EAGAIN) {
        int64_t err = amalgam_irq_wait(d->device, latest);
        if (err == -AMALGAM_ETIMEDOUT || err == -AMALGAM_EBADF || (uint64_t)amalgam_clock() >= latest)
            break;
        amalgam_irq_done(d->device);
    }
    d->lost = done < 0 || done >> 32 != number;
    return d->lost || d->memory[DISK_STATUS] || (uint32_t)done < least ? -AMALGAM_EIO : 0;
}

/* Make a request of `n` bytes, from `sector` on; the data lie in the pinned memory. Returns 0 or an error. */
static inline int64_t disk_request(struct disk *d, uint32_t kind, uint64_t sector, uint32_t n)
{
    const struct {
        uint32_t kind, unused;
        uint64_t sector;
    } head = { kind, 0, sector };
    if (d->lost)
        return -AMALGAM_EIO;
    if (n % DISK_SECTOR || n > DISK_MOST || sector > d->sectors || n / DISK_SECTOR > d->sectors - sector)
        return -AMALGAM_EINVAL;
    memcpy(d->memory + DISK_HEAD, &head, sizeof(head));
    d->memory[DISK_STATUS] = 0xff;
    int64_t number = disk_offer(d, kind, n);
    return number < 0 ? number : disk_await(d, number, kind == DISK_READ ? n + 1 : 1);
}

/* Read or write `n` bytes, whole sectors, at most DISK_MOST. Return 0 or an error: -EIO: the disk could not;
 * -EINVAL: that is not on the disk. What was written is on the disk for sure after disk_flush(). */
static inline int64_t disk_read(struct disk *d, uint64_t sector, void *to, uint32_t n)
{
    int64_t err = disk_request(d, DISK_READ, sector, n);
    if (!err)
        memcpy(to, d->memory + DISK_DATA, n);
    return err;
}

static inline int64_t disk_write(struct disk *d, uint64_t sector, const void *from, uint32_t n)
{
    if (n <= DISK_MOST && !d->lost)
        memcpy(d->memory + DISK_DATA, from, n);
    return disk_request(d, DISK_WRITE, sector, n);
}

static inline int64_t disk_flush(struct disk *d) { return disk_request(d, DISK_FLUSH, 0, 0); }

#endif
