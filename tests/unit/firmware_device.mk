# SPDX-License-Identifier: MIT
TESTS += firmware_device
firmware_device_INCLUDES := firmware/manycore/device.c firmware/manycore/virtqueue.c
firmware_device_CFLAGS := -I$(ROOT)/firmware/manycore
