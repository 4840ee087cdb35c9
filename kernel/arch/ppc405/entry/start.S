/* SPDX-License-Identifier: MIT */
/* start.S - a core's first instructions, and the idle loop. Loaded into SRAM, entered untranslated with MSR = 0. */
#include <arch/entry.h>
#include <board/board.h>

FUNCTION _start
    lis     r1, START_STACK@ha
    addi    r1, r1, START_STACK@l
    lis     r13, _SDA_BASE_@ha
    addi    r13, r13, _SDA_BASE_@l
    lis     r3, vectors@h
    mtspr   SPR_EVPR, r3
    lis     r3, idle_context@ha
    addi    r3, r3, idle_context@l
    mtsprg3 r3
    li      r3, KERNEL_MSR
    mtmsr   r3
    isync
    bl      kernel_main
    b       resume

/* Nothing to run: the core sleeps until an interrupt, and has no registers to save then. r3: IDLE_MSR (quirk
 * RFI_WAIT). */
FUNCTION idle
    mtmsr   r3
    b       idle
