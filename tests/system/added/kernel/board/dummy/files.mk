# SPDX-License-Identifier: MIT
files-y := power.c ../pc/clock.c ../pc/console.c ../pc/uart.c
files-$(CONFIG_VM) += ../pc/quirks.c
