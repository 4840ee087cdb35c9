# SPDX-License-Identifier: MIT
TESTS += virtio_disk
virtio_disk_FIRST := -I$(ROOT)/tests/host/userlib -include /usr/include/string.h
virtio_disk_CFLAGS := -idirafter $(ROOT)/user/include

TESTS += disk_range
disk_range_SRC := user/disk/range_server.c
disk_range_FIRST := $(virtio_disk_FIRST)
disk_range_CFLAGS := -I$(ROOT)/user/disk $(virtio_disk_CFLAGS)
