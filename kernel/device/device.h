/* SPDX-License-Identifier: MIT */
/*
 * device.h - devices that are driven by processes: a part of processes (process/part.h), which gives them the calls of
 * kernel/api/device.yaml.
 *
 * The system file grants devices to a process by their names; the process has a handle to each (handle/handle.h), in
 * each of its runs. A device has one driver at most, and an interrupt line of its own. There is no IOMMU, so a driver
 * is not believed: it reads and writes the registers that the device's class (class.h) permits, and whatever tells the
 * device an address, the class writes after a check. All that the device may reach is its pinned memory: pages that are
 * allocated when the process is created, mapped there in each of its runs, and never used for anything else.
 *
 * A device is quiet unless its driver runs: its line masked, no bus master, reset. It is made so when the driver has
 * ended and once more before the next run begins, and only then its memory is cleared.
 *
 * Locks: process.lock of its driver guards `rung`. Nothing is taken inside device.lock.
 */
#ifndef AMALGAM_DEVICE_DEVICE_H
#define AMALGAM_DEVICE_DEVICE_H

#include <core/system_table.h>
#include <handle/handle.h>
#include <hal/device.h>
#include <process/process.h>

#include "class.h"

struct device {
    struct handle_object handle;
    struct hal_device hal; /* a copy, because a register's address is one load less away */
    const struct device_class *class;
    struct process *process; /* its driver */
    u8 index;                /* among its driver's devices */
    u8 line;                 /* the number that its interrupts have here: of hal_line_mask() */
    bool rung;               /* an interrupt came, and no thread has taken it */
    u32 masked;              /* an interrupt came, and its driver has not said that it is done; atomic */
    struct spinlock lock;    /* of a write and `state`: what one write checks, no other one changes meanwhile */
    struct device_state state;
};

/*
 * Which device a process's handle names; NULL: none. Only its driver has a handle to a device, without the right to
 * send it, and it is withdrawn when no thread of the driver is left. So a call of the driver's needs no handle_take():
 * the entries are made with the handles, and go when these are closed.
 */
extern struct device *device_handles[SYS_MAX_DOMAINS][HANDLES];
static inline struct device *device_of(const struct process *p, u32 handle)
{
    return READ_ONCE(device_handles[p->domain->id][handle]);
}
/* Return the device whose interrupts have that number, which hal_line_connect() was given. */
struct device *device_on(unsigned line);
/* Return where its pinned memory is in its driver's space. An odd address behind it is what waits for an interrupt. */
static inline u64 device_address(const struct device *d) { return PROCESS_PARTS + d->index * MIB; }

#endif
