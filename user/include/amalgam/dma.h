/* SPDX-License-Identifier: MIT */
/*
 * amalgam/dma.h - the system calls of a process that drives virtio devices, besides those of amalgam/devices.h. On a
 * kernel without such devices each of them returns -ENOSYS. docs/devices.md explains them.
 */
#ifndef AMALGAM_DMA_H
#define AMALGAM_DMA_H

#include <amalgam/devices.h>

#include "dma_table.h"

/* Of amalgam_dma_submit()'s `how`, besides the queue's number. */
#define AMALGAM_DMA_WRITES 4u
#define AMALGAM_DMA_MORE   8u

#define AMALGAM_DMA_PIECES 64u /* of a queue */

/* What amalgam_device_info() says of a device's class. */
#define AMALGAM_VIRTIO_NET   1
#define AMALGAM_VIRTIO_BLOCK 2

#endif
