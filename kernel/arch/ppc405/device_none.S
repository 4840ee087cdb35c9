/* SPDX-License-Identifier: MIT */
/* device_none.S - instead of device.S where there is no virtual serial port, or no CONFIG_TLBV. */
#include <arch/entry.h>

VECTOR 0300
    TO_C    VEC_DSI
