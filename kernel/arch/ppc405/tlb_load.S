/* SPDX-License-Identifier: MIT */
/* tlb_load.S - into C for the hypercall of that name (tlb_load.c), with CONFIG_FAST. */
#include <arch/entry.h>

    .text
/* All registers but r11 are the interrupted code's: they come back from the context. */
FUNCTION hypercall_tlb_load
    mr      r3, r1
    SAVE_CONTEXT
    C_STACK
    bl      tlb_load
    b       return_from_c
