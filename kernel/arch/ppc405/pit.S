/* SPDX-License-Identifier: MIT */
/* pit.S - the core's alarm. */
#include <arch/entry.h>

VECTOR 1000
    b       alarm

FUNCTION alarm
    ENTER
    li      r3, VEC_PIT
    b       exit_interrupt
