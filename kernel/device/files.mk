# SPDX-License-Identifier: MIT
needs := $(CONFIG_DEVICE)
calls-y := device
files-y := calls.c classes.c grant.c interrupt.c rtl8139.c
# What a driver does for each frame.
fast-y := calls.c interrupt.c
