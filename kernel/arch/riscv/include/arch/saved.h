/* SPDX-License-Identifier: MIT */
/* arch/saved.h (RISC-V) - for assembly files: SAVED STORE and SAVED LOAD keep the callee-saved registers on the
 * stack. */
#include <arch/context.h>
#include <arch/width.h>

#define SAVED_SIZE (SAVED_WORDS * WORD)
    .macro SAVED op
    \op ra, 0 * WORD(sp)
    \op s0, 1 * WORD(sp)
    \op s1, 2 * WORD(sp)
    .irp n, 2,3,4,5,6,7,8,9,10,11
    \op s\n, (1 + \n) * WORD(sp)
    .endr
    .endm
