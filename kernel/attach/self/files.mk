# SPDX-License-Identifier: MIT
files-y := command.c object.c switch.c
dirs-$(CONFIG_SELFVIRT_TEST) += test
