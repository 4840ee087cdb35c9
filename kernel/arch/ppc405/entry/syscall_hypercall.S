/* SPDX-License-Identifier: MIT */
/*
 * syscall_hypercall.S - `sc` with CONFIG_PARAVIRT.
 *
 * In the guest's privileged mode it is a hypercall if the guest's table says so. Otherwise it is the guest's own system
 * call. (Without hypercalls syscall.S is linked instead.)
 *
 * A hypercall that stands for an instruction is turned into that instruction: r27 becomes its word, with operands in r3
 * and r4. The same handlers then serve both. Frequent hypercalls have shorter paths.
 */
#include <arch/reflect.h>
#include <errors.h>
#include <wcet.h>
#include <generated/api_calls.h>

VECTOR 0c00
    ENTER_LIGHT
    lwz     r29, REG_MSR(r1)
    mfsrr0  r28
    andi.   r26, r29, MSR_PR
    beq     1f
reflect_syscall:
    lwz     r25, VM_HANDLER(r1)
    lwz     r24, REG_EVPR(r1)
    cmplw   r24, r25
    blt     reflect_translated
    REFLECT addi, VEC_SC
    LEAVE_LIGHT
1:  lbz     r26, VM_FLAGS(r1)
    andi.   r26, r26, FLAG_HYPERCALLS
    beq     reflect_syscall
    ENTER_REST
    mfctr   r31
    cmplwi  r11, API_SERVICES
    bge     hypercall_service
    rlwinm  r25, r11, 3, 24, 28
    addis   r25, r25, hypercall_table@ha
    lwz     r24, hypercall_table@l+4(r25)
    lwz     r27, hypercall_table@l(r25)
    mtctr   r24
    addi    r28, r28, -4 /* the handlers go on after the instruction */
    INDIRECT_TABLE hypercall_table, API_SERVICES, 8, 4
    bctr

/* A pre-virtualized guest's handler is in the same address space. No image has its vectors above its code. */
FUNCTION reflect_translated
    lwz     r26, VM_HANDLER_MSR(r1)
    stw     r28, REG_SRR0(r1)
    stw     r29, REG_SRR1(r1)
    stw     r26, REG_MSR(r1)
    lwz     r24, VM_MODE_ZPR(r1)
    mtsrr0  r25
    lwz     r25, VM_SPACE_PID+12(r1)
    mtspr   SPR_ZPR, r24
    quirk_zpr r24
    mtspr   SPR_PID, r25
    LEAVE_LIGHT

/*
 * A service (kernel/api/calls.yaml). The limits of its first two arguments are checked here; 255 means none.
 *
 * Only a yield gives the core away. After it the caller must not be touched. No other service changes which of the
 * guest's address spaces is in use, so the hardware's PID and ZPR stay valid.
 */
#define SERVICE (guest_services - 8 * API_SERVICES)
FUNCTION hypercall_service
    cmplwi  r11, API_CALLS
    slwi    r25, r11, 3
    addis   r25, r25, SERVICE@ha
    bge-    service_unknown
    lbz     r26, SERVICE@l+4(r25)
    lbz     r27, SERVICE@l+5(r25)
    lwz     r24, SERVICE@l(r25)
    cmplw   r3, r26
    ble     1f
    cmpwi   r26, 255
    bne-    service_range
1:  cmplw   r4, r27
    ble     2f
    cmpwi   r27, 255
    bne-    service_range
2:  cmpwi   cr4, r11, API_YIELD
    stw     r28, VM_PC(r1)
    stw     r30, VM_CR(r1)
    mflr    r0
    stw     r0, VM_LR(r1) /* CTR and XER may change */
    mtctr   r24
    mr      r31, r1
    mr      r6, r5
    mr      r5, r4
    mr      r4, r3
    mr      r3, r1
    C_STACK
    INDIRECT_TABLE guest_services, API_CALLS - API_SERVICES, 8, 0
    bctrl
    beq     cr4, return_from_c
    mr      r1, r31
    lwz     r25, VM_PENDING(r1)
    lwz     r29, REG_MSR(r1)
    stw     r3, VM_GPR+4*3(r1)
    rlwimi. r25, r29, 0, 13, 13 /* MSR[WE] */
    beq+    resume_registers
    b       resume_pending

FUNCTION service_range
    li      r25, -ERANGE
    b       1f
LABEL service_unknown
    li      r25, -ENOSYS
1:  stw     r25, VM_GPR+4*3(r1)
    LEAVE   ctr=0

/* All registers belong to the code that is returned to. r11 had to hold the number, so its value waits in the
 * register page. */
FUNCTION hypercall_rfi
    lwz     r24, REG_SCRATCH(r1)
    stw     r24, VM_GPR+4*11(r1)
    b       emulate_rfi
FUNCTION hypercall_rfci
    lwz     r24, REG_SCRATCH(r1)
    stw     r24, VM_GPR+4*11(r1)
    b       emulate_slow

/* SRR0 holds the right value already. */
FUNCTION hypercall_mfevpr
    lwz     r29, REG_EVPR(r1)
LABEL hypercall_mfmsr
    stw     r29, VM_GPR+4*3(r1)
LABEL hypercall_nothing /* instructions for caches that the guest does not have, or for the hardware's TLB, which is the kernel's */
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

/* The register's number is an argument: insert it into the instruction's field. */
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
    .weak   hypercall_mfdcr /* hypercall_fast.S has shorter ways */
hypercall_mfdcr:
    FIELD
    .weak   hypercall_dcread, hypercall_tlbia
hypercall_dcread:
hypercall_tlbia:
    b       emulate_slow
