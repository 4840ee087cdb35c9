# SPDX-License-Identifier: MIT
files-y := irq.c
files-$(CONFIG_CONSOLE) += console.c
files-$(CONFIG_DOORBELL) += doorbell.c
