/* SPDX-License-Identifier: MIT */
/*
 * entry.S - the world switch.
 *
 * VMRUN switches RAX, RSP, RIP, RFLAGS, CR0-4, EFER, CS-SS-DS-ES, GDTR, IDTR; VMLOAD
 * and VMSAVE the rest of the segment and system call registers; the general registers
 * are ours (APM 15.5).  Interrupts stay off by GIF alone inside: IF must be 1 at
 * VMRUN, since V_INTR_MASKING makes the host's IF decide whether a physical interrupt
 * leaves the guest (15.21.1).
 *
 * An exit that amdv_fast() resolves goes back without touching the guest's VMLOAD
 * state (no VMSAVE, VMLOAD, STGI), and with the guest's callee-saved registers where
 * they are: C keeps them, and a handler that wants one other than RBX cannot be fast.
 *
 * A guest that was left between its STI and the instruction after it (HLT, as a rule)
 * must not take an interrupt before that instruction: it would then halt with nothing
 * left to wake it.  VMRUN takes this interrupt shadow from the VMCB (15.21.5); QEMU's
 * does not, but keeps one that is in force when VMRUN runs.  So for such a guest VMRUN
 * follows an STI of ours, which changes nothing on silicon: the shadow is the guest's.
 * Exits resolved here have stepped over an instruction, so they never have one.
 */
#include "../64/gprs.h"

#define REGS 16
#define VMCB_PA 144
#define FAST_EXITS 152

    .cfi_sections .debug_frame  /* for backtraces from amdv_fast() */
    .macro SAVE_HOST /* rdi = struct hal_vcpu *, rsi = host VMSAVE area; then rax = the VMCB's address */
    PUSH_SAVED
    push %rsi
    push %rdi
    clgi
    sti
    mov VMCB_PA(%rdi), %rax
    vmload %rax
    LOAD_GUEST_SAVED REGS
    .endm

    .text
    .globl amdv_enter
    .type amdv_enter, @function
amdv_enter:
    .cfi_startproc
    SAVE_HOST
    .cfi_def_cfa_offset 9 * 8
.Lenter:
    LOAD_GUEST REGS
    vmrun %rax
.Lexit:
    SAVE_GUEST REGS
    call *amdv_on_exit(%rip)
    mov (%rsp), %rdi
    test %al, %al
    mov VMCB_PA(%rdi), %rax
    jz .Lleave
    incq FAST_EXITS(%rdi)
    jmp .Lenter
.Lleave:
    SAVE_GUEST_SAVED REGS
    vmsave %rax
    add $8, %rsp
    pop %rax
    vmload %rax
    cli
    stgi
    POP_SAVED
    ret
    .cfi_endproc
    .size amdv_enter, . - amdv_enter

    .globl amdv_enter_shadowed
    .type amdv_enter_shadowed, @function
amdv_enter_shadowed:
    SAVE_HOST
    LOAD_GUEST REGS
    cli
    sti /* nothing between this and VMRUN: the shadow is one instruction long */
    vmrun %rax
    jmp .Lexit
    .size amdv_enter_shadowed, . - amdv_enter_shadowed
    .section .note.GNU-stack, "", @progbits
