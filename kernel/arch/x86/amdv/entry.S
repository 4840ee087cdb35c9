/* SPDX-License-Identifier: MIT */
/*
 * entry.S - the world switch.
 *
 * VMRUN switches RAX, RSP, RIP, RFLAGS, CR0-4, EFER, CS-SS-DS-ES, GDTR, IDTR. VMLOAD and VMSAVE switch the rest of the
 * segment and system call registers. The general registers are switched here (APM 15.5). Inside, only GIF keeps
 * interrupts off: IF must be 1 at VMRUN, because with V_INTR_MASKING the host's IF decides whether a physical interrupt
 * makes the guest exit (15.21.1).
 *
 * An exit that amdv_fast() resolves returns to the guest without a switch of its VMLOAD state (no VMSAVE, VMLOAD,
 * STGI), and with its callee-saved registers in place: C preserves them. So an exit whose handler needs one of them
 * other than RBX cannot be fast. With RFLAGS.TF or RF something follows the instruction: see vmcb_trap().
 *
 * A guest that exited between its STI and the next instruction (usually HLT) must not take an interrupt before that
 * instruction: it would then halt with nothing left to wake it. VMRUN takes this interrupt shadow from the VMCB
 * (15.21.5). QEMU's VMRUN does not, but keeps a shadow that is in force when VMRUN runs. So for such a guest an STI of
 * ours precedes VMRUN, which has no effect on silicon, as the shadow is the guest's. Exits resolved here have stepped
 * over an instruction, so they have no shadow.
 */
#include "../64/gprs.h"

#define VMCB 0
#define REGS 16
#define VMCB_PA 144
#define FAST_EXITS 152
#define VMCB_RFLAGS 0x570
#define TRACED 0x10100 /* arch/vmcb.h */

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
    mov VMCB(%rdi), %rcx
    testl $TRACED, VMCB_RFLAGS(%rcx)
    jz .Lenter
    call amdv_traced
    mov (%rsp), %rdi
    mov VMCB_PA(%rdi), %rax
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
    sti /* must directly precede VMRUN: the shadow lasts one instruction */
    vmrun %rax
    jmp .Lexit
    .size amdv_enter_shadowed, . - amdv_enter_shadowed
    .section .note.GNU-stack, "", @progbits
