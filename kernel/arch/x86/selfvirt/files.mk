# SPDX-License-Identifier: MIT
files-y := entry.S exit.c layer.c leave.S native.c state.c virtual.c
files-$(CONFIG_SELFVIRT_TEST) += test.c
defines-y := LAYER_BENEATH=1
