/* SPDX-License-Identifier: MIT */
/* hypercall_fast.S - hypercalls that need no C where there is CONFIG_FAST; syscall_hypercall.S has the long ways. */
#include <arch/entry.h>

/* r3 number: the virtual interrupt controller's registers are storage for who reads. */
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
