/* SPDX-License-Identifier: MIT */
/* classes.c - the classes of devices. A shape leaves out those that its board has no devices of: these are NULL. */
#include "class.h"

extern __typeof__(device_rtl8139) device_rtl8139 __attribute__((weak));
extern __typeof__(device_virtio_net) device_virtio_net __attribute__((weak));
extern __typeof__(device_virtio_block) device_virtio_block __attribute__((weak));

const struct device_class *const device_classes[HAL_DEVICE_CLASSES] = {
    [HAL_RTL8139] = &device_rtl8139,
    [HAL_VIRTIO_NET] = &device_virtio_net,
    [HAL_VIRTIO_BLOCK] = &device_virtio_block,
};
