/* SPDX-License-Identifier: MIT */
/* device_none.S - without CONFIG_CONSOLE or miss.S all storage exceptions go to C. */
#include <arch/entry.h>

VECTOR 0300
    TO_C    VEC_DSI
