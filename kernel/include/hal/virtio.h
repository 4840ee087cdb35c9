/* SPDX-License-Identifier: MIT */
/*
 * hal/virtio.h - virtio devices of a board whose firmware keeps registers and queues to itself: a cluster's
 * (docs/boards.md). Beside hal/device.h, of which such a board has no hal_device_write(). Any context.
 */
#ifndef AMALGAM_HAL_VIRTIO_H
#define AMALGAM_HAL_VIRTIO_H

#include <types.h>

struct hal_device;

/* Begin a reset. Return whether the device is reset. */
void hal_virtio_reset(const struct hal_device *d);
bool hal_virtio_is_reset(const struct hal_device *d);
/* Make a device ready that is reset: its queues are empty. Returns whether it is. */
bool hal_virtio_start(const struct hal_device *d);
/* dma_submit() and dma_done() of kernel/api/dma.yaml for a piece of memory at `at`. The firmware refuses a piece of no
 * bytes, and with it the request that is being made. */
s64 hal_virtio_submit(const struct hal_device *d, u32 how, paddr_t at, u32 n);
s64 hal_virtio_done(const struct hal_device *d, u32 queue);

#endif
