# SPDX-License-Identifier: MIT
files-y := entry.S exit.c layer.c object.c state.c
files-$(CONFIG_SELFVIRT_TEST) += test.c
