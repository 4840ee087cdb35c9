/* SPDX-License-Identifier: MIT */
/* Made from kernel/api/device.yaml by tools/amalgam/api/generate.py: edit that. */
/* Included by amalgam/devices.h, which says what a call is. Any call may return -ENOSYS (there is none of that
 * number) or -ERANGE (an argument is larger than is allowed). */
#ifndef AMALGAM_DEVICE_TABLE_H
#define AMALGAM_DEVICE_TABLE_H

#define AMALGAM_DEVICES_VERSION 1

enum amalgam_device {
    AMALGAM_DEVICE_READ = 0x44455600,
    AMALGAM_DEVICE_WRITE = 0x44455601,
    AMALGAM_IRQ_WAIT = 0x44455602,
    AMALGAM_IRQ_DONE = 0x44455603,
    AMALGAM_DEVICE_INFO = 0x44455604,
    AMALGAM_DEVICES_END
};

enum amalgam_device_info {
    AMALGAM_DEVICE_INFO_CLASS,
    AMALGAM_DEVICE_INFO_PLACE,
    AMALGAM_DEVICE_INFO_SIZE,
    AMALGAM_DEVICE_INFO_LINE
};

/*
 * Read a register of a device. handle: the process's handle of the device. at: the register's address, from the
 * device's first one on. width: 1, 2 or 4 bytes. Returns the register's value; -EBADF: the process has no device by
 * that handle; -EACCES: the device's class does not permit to read that, by that width.
 */
static inline int64_t amalgam_device_read(unsigned handle, unsigned at, unsigned width)
{
    return amalgam_call(AMALGAM_DEVICE_READ, (uintptr_t)handle, (uintptr_t)at, (uintptr_t)width, 0);
}

/*
 * Write a register of a device. A register that tells the device an address gets an offset in the device's memory.
 * handle: the process's handle of the device. at: the register's address, from the device's first one on. width: 1,
 * 2 or 4 bytes. value: the register's new value. Returns 0; -EBADF: the process has no device by that handle;
 * -EACCES: the device's class does not permit to write that, by that width; -EINVAL: the device may not be told that
 * value; -EBUSY: not now: the device is being reset.
 */
static inline int64_t amalgam_device_write(unsigned handle, unsigned at, unsigned width, uint32_t value)
{
    return amalgam_call(AMALGAM_DEVICE_WRITE, (uintptr_t)handle, (uintptr_t)at, (uintptr_t)width, (uintptr_t)value);
}

/*
 * Take an interrupt of a device, or wait for one. It stays the last one until irq_done(). handle: the process's
 * handle of the device. deadline: nanoseconds; AMALGAM_NEVER is none. Returns 0; -EBADF: the process has no device
 * by that handle; -EBUSY: one was taken, and irq_done() was not called since; -ETIMEDOUT: the deadline passed;
 * -EINTR: a signal came.
 */
static inline int64_t amalgam_irq_wait(unsigned handle, uint64_t deadline)
{
    return amalgam_call(AMALGAM_IRQ_WAIT, (uintptr_t)handle, AMALGAM_WIDE(deadline), 0);
}

/*
 * Let the next interrupt of a device come. The device has been told that this one was seen, else it comes again.
 * handle: the process's handle of the device. Returns 0; -EBADF: the process has no device by that handle.
 */
static inline int64_t amalgam_irq_done(unsigned handle)
{
    return amalgam_call(AMALGAM_IRQ_DONE, (uintptr_t)handle, 0, 0, 0);
}

/*
 * Ask about a device. handle: the process's handle of the device. field: which: its class (0 rtl8139, 1 virtio-net,
 * 2 virtio-blk); the address of its pinned memory; the bytes of that; its interrupt line. Returns the answer;
 * -EBADF: the process has no device by that handle.
 */
static inline int64_t amalgam_device_info(unsigned handle, enum amalgam_device_info field)
{
    return amalgam_call(AMALGAM_DEVICE_INFO, (uintptr_t)handle, (uintptr_t)field, 0, 0);
}

#endif
