# SPDX-License-Identifier: MIT
files-y := entry.S exit.c layer.c leave.S native.c state.c virtual.c
files-$(CONFIG_SELFVIRT_TEST) += test.c
arch-cflags += -DLAYER_BENEATH=1
