/* SPDX-License-Identifier: MIT */
/* tlb_load.S - calls C for the hypercall of that name (tlb_load.c), with CONFIG_FAST. */
#include <arch/entry.h>

    .text
/* All registers except r11 belong to the interrupted code: they are restored from the context. */
FUNCTION hypercall_tlb_load
    mr      r3, r1
    SAVE_CONTEXT
    C_STACK
    bl      tlb_load
    b       return_from_c
