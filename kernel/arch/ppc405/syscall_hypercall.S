/* SPDX-License-Identifier: MIT */
/*
 * syscall_hypercall.S - `sc` with CONFIG_PARAVIRT: in the guest's privileged mode a hypercall, if its table says
 * so; otherwise its own system call (syscall.S is linked where there is nothing but that).
 *
 * A hypercall that stands for an instruction becomes that instruction: r27 = its word, with
 * operands in r3 and r4, and from there the same handlers serve both. Frequent ones are shorter still.
 */
#include <arch/reflect.h>
#include <wcet.h>
#include <generated/api_calls.h>

VECTOR 0c00
    ENTER
    mfctr   r31
    lwz     r29, REG_MSR(r1)
    mfsrr0  r28
    andi.   r26, r29, MSR_PR
    bne     reflect_syscall
    lbz     r26, VM_FLAGS(r1)
    andi.   r26, r26, FLAG_HYPERCALLS
    beq     reflect_syscall
    cmplwi  r11, API_SERVICES
    rlwinm  r25, r11, 3, 24, 28
    addis   r25, r25, hypercall_table@ha
    bge     hypercall_service
    lwz     r24, hypercall_table@l+4(r25)
    lwz     r27, hypercall_table@l(r25)
    mtctr   r24
    addi    r28, r28, -4 /* the handlers go on behind the instruction */
    INDIRECT_TABLE hypercall_table, API_SERVICES, 8, 4
    bctr

FUNCTION reflect_syscall
    REFLECT VEC_SC

FUNCTION hypercall_service
    li      r3, VEC_SC
    b       exit_to_c

/* All registers are those of the code that is returned to: r11, which had to hold the number, waits in the register page. */
FUNCTION hypercall_rfi
    lwz     r24, REG_SCRATCH(r1)
    stw     r24, VM_GPR+4*11(r1)
    b       emulate_rfi
FUNCTION hypercall_rfci
    lwz     r24, REG_SCRATCH(r1)
    stw     r24, VM_GPR+4*11(r1)
    b       emulate_slow

/* SRR0 is what it should be already. */
FUNCTION hypercall_mfmsr
    stw     r29, VM_GPR+4*3(r1)
    LEAVE
FUNCTION hypercall_mfevpr
    lwz     r25, REG_EVPR(r1)
    stw     r25, VM_GPR+4*3(r1)
    LEAVE
FUNCTION hypercall_mtevpr
    clrrwi  r25, r3, 16
    stw     r25, REG_EVPR(r1)
    LEAVE
FUNCTION hypercall_mtzpr
    lwz     r24, REG_ZPR(r1)
    lwz     r25, VM_ZONES(r1)
    xor     r24, r24, r3
    and.    r24, r24, r25
    bne-    emulate_slow
    stw     r3, REG_ZPR(r1)
    LEAVE

/* The register's number is an argument: put it into its field. */
    .macro FIELD
    rlwimi  r27, r3, 16, 11, 15
    rlwimi  r27, r3, 6, 16, 20
    .endm
FUNCTION hypercall_mfspr
    FIELD
    b       emulate_mfspr
FUNCTION hypercall_mtspr
    FIELD
    b       emulate_mtspr
FUNCTION hypercall_dcr
    FIELD
    b       emulate_slow
