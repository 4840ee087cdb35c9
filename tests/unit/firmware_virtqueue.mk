# SPDX-License-Identifier: MIT
TESTS += firmware_virtqueue
firmware_virtqueue_INCLUDES := firmware/manycore/virtqueue.c
firmware_virtqueue_CFLAGS := -I$(ROOT)/firmware/manycore
