/* SPDX-License-Identifier: MIT */
/*
 * class.h - what a class of devices permits its drivers.
 *
 * The table of registers says for each address by which width it may be read and written. A write goes through the
 * class's function, which keeps the one rule: whatever a driver writes, in whatever order, the device accesses nothing
 * but its pinned memory. So a driver names places there by their offsets, and never sees an address of the bus.
 */
#ifndef AMALGAM_DEVICE_CLASS_H
#define AMALGAM_DEVICE_CLASS_H

#include <hal/device.h>
#include <types.h>

#define DEVICE_REGISTERS 256

/* In device_class.access: the width, in bytes, by which a register may be read, and shifted by DEVICE_WRITES the one by
 * which it may be written; 0: by none. */
#define DEVICE_WIDTHS 7
#define DEVICE_WRITES 4

/* What a class remembers of a device. */
struct device_state {
    paddr_t memory; /* the pinned memory */
    u32 receive, receive_mode, send[4];
};

struct device;
struct device_class {
    struct hal_device_kind kind;
    u32 number;   /* by which device_info() names it (kernel/api/device.yaml) */
    u32 memory;   /* bytes of pinned memory, whole pages, at most 1 MiB */
    u32 rings;    /* bytes behind it, whole pages, that the device reaches and its driver does not */
    u16 head;     /* virtio: bytes of a request's first piece, at least */
    bool one_way; /* virtio: it reads all of a request or writes all of it; else it may read first and then write */
    u32 features; /* virtio: those of the first word that a driver may use */
    u8 access[DEVICE_REGISTERS];
    /* Write a register that access[] permits. Returns 0; -EINVAL: the device may not be told that; -EBUSY: not now.
     * Interrupts are off. */
    int (*write)(const struct hal_device *d, struct device_state *s, u32 at, u32 width, u32 value);
    /* Begin a reset, and return whether it is over. The device is no bus master; its first access after it may be one
     * of `write`. Any context. */
    void (*reset)(const struct hal_device *d, struct device_state *s);
    bool (*is_reset)(const struct hal_device *d);
    /* NULL, or make the device ready, before each run of its driver: it is reset, and all of its memory is clear.
     * Returns whether it is ready. */
    bool (*start)(struct device *d);
    /* NULL, or tell the device that its interrupt was seen. Its driver looks for what it has done after that. */
    void (*seen)(const struct hal_device *d);
};

/* Let the board find devices of the class (hal/device.h): a file that is linked is all that a class needs. */
#define DEVICE_CLASS(class) HAL_DEVICE_KIND(class, &(class).kind)

extern const struct device_class device_rtl8139, device_virtio_net, device_virtio_block;

#endif
