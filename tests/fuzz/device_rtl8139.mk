# SPDX-License-Identifier: MIT
FUZZERS += device_rtl8139
device_rtl8139_SRC := kernel/device/rtl8139.c kernel/lib/string.c
device_rtl8139_MAX_LEN := 512
device_rtl8139_CFLAGS := -I$(ROOT)/kernel/board/scc/include
