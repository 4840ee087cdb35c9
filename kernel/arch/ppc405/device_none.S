/* SPDX-License-Identifier: MIT */
/* device_none.S - storage exceptions go to C: see device_none.c. */
#include <arch/entry.h>

VECTOR 0300
    TO_C    VEC_DSI
