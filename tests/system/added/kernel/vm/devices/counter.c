/* SPDX-License-Identifier: MIT */
/* counter.c - a device of a PC that does nothing of use: its port says how often it was read since the last reset. */
#include "pc_devices.h"

#define PORT 0x2d0

struct counter {
    struct vdev dev;
    u8 n;
};

static u64 counter_read(struct vdev *d, u32 offset, unsigned size) { return ++container_of(d, struct counter, dev)->n; }
static void counter_write(struct vdev *d, u32 offset, unsigned size, u64 value) {}
static void counter_reset(struct vdev *d) { container_of(d, struct counter, dev)->n = 0; }

PC_DEVICE(counter, .ops = { "counter", counter_read, counter_write, counter_reset, 1 }, .size = sizeof(struct counter),
          .ports = { { PORT, 1 } });
