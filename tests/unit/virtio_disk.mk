# SPDX-License-Identifier: MIT
TESTS += virtio_disk
virtio_disk_FIRST := -I$(ROOT)/tests/host/userlib -include /usr/include/string.h
virtio_disk_CFLAGS := -idirafter $(ROOT)/user/include
$(OUT)/test_virtio_disk: $(ROOT)/user/drivers/virtio-blk.h $(wildcard $(ROOT)/user/include/amalgam/*.h)
