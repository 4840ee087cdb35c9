/* SPDX-License-Identifier: MIT */
/* hypercall_fast.S - with CONFIG_FAST: hypercalls that need no C. syscall_hypercall.S has the slower paths. */
#include <arch/entry.h>

/* r3: the number. A read of a register of the virtual interrupt controller only loads it. */
FUNCTION hypercall_mfdcr
    addi    r25, r3, -DCR_UIC
    cmplwi  r25, UIC_VCR
    slwi    r25, r25, 2
    add     r25, r25, r1
    bgt-    hypercall_dcr
    lwz     r29, VM_UIC(r25)
    b       hypercall_mfmsr

FUNCTION hypercall_dcread
    li      r29, 0
    b       hypercall_mfmsr

FUNCTION hypercall_tlbia
    mtctr   r31
    b       clear_tlb
