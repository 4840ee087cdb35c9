/* SPDX-License-Identifier: MIT */
/* device_none.S - instead of device.S where guests have no virtual serial port (CONFIG_CONSOLE), or do not translate (CONFIG_TLBV). */
#include <arch/entry.h>

VECTOR 0300
    TO_C    VEC_DSI
