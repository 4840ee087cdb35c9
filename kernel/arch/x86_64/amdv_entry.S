/* SPDX-License-Identifier: MIT */
/*
 * amdv_entry.S - the world switch.
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
#define RBX_ (3 * 8)
#define RCX_ (1 * 8)
#define RDX_ (2 * 8)
#define RBP_ (5 * 8)
#define RSI_ (6 * 8)
#define RDI_ (7 * 8)
#define VMCB_PA 128
#define FAST_EXITS 136

    .cfi_sections .debug_frame  /* for backtraces from amdv_fast() */
    .macro LOAD_GUEST /* rdi = struct hal_vcpu *, rax = its VMCB's address */
    mov RBX_(%rdi), %rbx
    mov RCX_(%rdi), %rcx
    mov RDX_(%rdi), %rdx
    mov RSI_(%rdi), %rsi
    mov 64(%rdi), %r8
    mov 72(%rdi), %r9
    mov 80(%rdi), %r10
    mov 88(%rdi), %r11
    mov RDI_(%rdi), %rdi
    .endm

    .macro SAVE_HOST /* rdi = struct hal_vcpu *, rsi = host VMSAVE area; then rax = the VMCB's address */
    push %rbx
    push %rbp
    push %r12
    push %r13
    push %r14
    push %r15
    push %rsi
    push %rdi
    clgi
    sti
    mov VMCB_PA(%rdi), %rax
    vmload %rax
    mov RBP_(%rdi), %rbp
    mov 96(%rdi), %r12
    mov 104(%rdi), %r13
    mov 112(%rdi), %r14
    mov 120(%rdi), %r15
    .endm

    .text
    .globl amdv_enter
    .type amdv_enter, @function
amdv_enter:
    .cfi_startproc
    SAVE_HOST
    .cfi_def_cfa_offset 9 * 8
.Lenter:
    LOAD_GUEST
    vmrun %rax
.Lexit:
    mov (%rsp), %rax
    mov %rbx, RBX_(%rax)
    mov %rcx, RCX_(%rax)
    mov %rdx, RDX_(%rax)
    mov %rsi, RSI_(%rax)
    mov %rdi, RDI_(%rax)
    mov %r8, 64(%rax)
    mov %r9, 72(%rax)
    mov %r10, 80(%rax)
    mov %r11, 88(%rax)
    mov %rax, %rdi
    call *amdv_on_exit(%rip)
    mov (%rsp), %rdi
    test %al, %al
    mov VMCB_PA(%rdi), %rax
    jz .Lleave
    incq FAST_EXITS(%rdi)
    jmp .Lenter
.Lleave:

    mov %rbp, RBP_(%rdi)
    mov %r12, 96(%rdi)
    mov %r13, 104(%rdi)
    mov %r14, 112(%rdi)
    mov %r15, 120(%rdi)
    vmsave %rax
    add $8, %rsp
    pop %rax
    vmload %rax
    cli
    stgi
    pop %r15
    pop %r14
    pop %r13
    pop %r12
    pop %rbp
    pop %rbx
    ret
    .cfi_endproc
    .size amdv_enter, . - amdv_enter

    .globl amdv_enter_shadowed
    .type amdv_enter_shadowed, @function
amdv_enter_shadowed:
    SAVE_HOST
    LOAD_GUEST
    cli
    sti /* nothing between this and VMRUN: the shadow is one instruction long */
    vmrun %rax
    jmp .Lexit
    .size amdv_enter_shadowed, . - amdv_enter_shadowed
    .section .note.GNU-stack, "", @progbits
