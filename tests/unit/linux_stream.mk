# SPDX-License-Identifier: MIT
TESTS += linux_stream
linux_stream_SRC := linux/amalgam/kept.c linux/amalgam/bell.c
linux_stream_INCLUDES := linux/amalgam/stream.c
linux_stream_FIRST := -I$(ROOT)/tests/host/linux
linux_stream_CFLAGS := -include $(ROOT)/tests/host/linux/fake_linux.h -idirafter $(ROOT)/kernel/api -I$(ROOT)/linux/amalgam -fno-toplevel-reorder -Wno-sign-compare
