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
#define REG(n) 16 + (n) * 8
#define RCX_ 1
#define RDX_ 2
#define RBX_ 3
#define RBP_ 5
#define RSI_ 6
#define RDI_ 7
#define VMCB_PA 144
#define FAST_EXITS 152

    .cfi_sections .debug_frame  /* for backtraces from amdv_fast() */
    .macro LOAD_GUEST /* rdi = struct hal_vcpu *, rax = its VMCB's address */
    mov REG(RBX_)(%rdi), %rbx
    mov REG(RCX_)(%rdi), %rcx
    mov REG(RDX_)(%rdi), %rdx
    mov REG(RSI_)(%rdi), %rsi
    mov REG(8)(%rdi), %r8
    mov REG(9)(%rdi), %r9
    mov REG(10)(%rdi), %r10
    mov REG(11)(%rdi), %r11
    mov REG(RDI_)(%rdi), %rdi
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
    mov REG(RBP_)(%rdi), %rbp
    mov REG(12)(%rdi), %r12
    mov REG(13)(%rdi), %r13
    mov REG(14)(%rdi), %r14
    mov REG(15)(%rdi), %r15
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
    mov %rbx, REG(RBX_)(%rax)
    mov %rcx, REG(RCX_)(%rax)
    mov %rdx, REG(RDX_)(%rax)
    mov %rsi, REG(RSI_)(%rax)
    mov %rdi, REG(RDI_)(%rax)
    mov %r8, REG(8)(%rax)
    mov %r9, REG(9)(%rax)
    mov %r10, REG(10)(%rax)
    mov %r11, REG(11)(%rax)
    mov %rax, %rdi
    call *amdv_on_exit(%rip)
    mov (%rsp), %rdi
    test %al, %al
    mov VMCB_PA(%rdi), %rax
    jz .Lleave
    incq FAST_EXITS(%rdi)
    jmp .Lenter
.Lleave:

    mov %rbp, REG(RBP_)(%rdi)
    mov %r12, REG(12)(%rdi)
    mov %r13, REG(13)(%rdi)
    mov %r14, REG(14)(%rdi)
    mov %r15, REG(15)(%rdi)
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
