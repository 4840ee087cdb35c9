# SPDX-License-Identifier: MIT
# Counts instructions, with the kernel's way of copying.
TESTS += virtio_time
virtio_time_SRC := $(split_devices_SRC) kernel/arch/x86/cpu/memops.c
virtio_time_CFLAGS := $(STRETCH_CFLAGS)
