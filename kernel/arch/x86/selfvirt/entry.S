/* SPDX-License-Identifier: MIT */
/*
 * entry.S - into the layer beneath, around its loop, and out of it.
 *
 * Layer and kernel share GS, FS, TR, LDTR and the system call registers, so there is no VMLOAD and VMSAVE here; and RBP
 * and R12-R15, which layer_exit() keeps (RBX, too, but CPUID wants to change it).  IF is 1 at VMRUN: it is the
 * host's IF that lets a physical interrupt out of a guest with V_INTR_MASKING (APM 15.21.1); GIF keeps them from us.
 *
 * A guest that is left between STI and HLT loses that interrupt shadow in QEMU (amdv/entry.S).  This kernel can bear it:
 * an interrupt that comes between the two is handled, and its handler switches to whom it has woken before it returns to
 * the HLT.
 */
#define VMCB_PA   72
#define STACK_TOP 80
#define GUEST_RSP 88
#define VMCB      96
#define RFLAGS_   0x570
#define RIP_      0x578
#define RSP_      0x5d8
#define LAYER_LEAVE 8

    .macro PUSH_SAVED
    push %rbx
    push %rbp
    push %r12
    push %r13
    push %r14
    push %r15
    .endm
    .macro POP_SAVED
    pop %r15
    pop %r14
    pop %r13
    pop %r12
    pop %rbp
    pop %rbx
    .endm

    .text
    .globl layer_enter
    .type layer_enter, @function
layer_enter: /* rdi = struct layer * */
    PUSH_SAVED
    mov VMCB(%rdi), %rdx
    mov %rsp, GUEST_RSP(%rdi)
    mov %rsp, RSP_(%rdx)
    movq $.Lguest, RIP_(%rdx)
    pushfq
    popq RFLAGS_(%rdx)
    mov STACK_TOP(%rdi), %rsp
    push %rdi
    clgi
    sti
    mov VMCB_PA(%rdi), %rax
.Lrun:
    vmrun %rax
    mov (%rsp), %rax
    mov %rcx, (%rax)
    mov %rdx, 8(%rax)
    mov %rsi, 16(%rax)
    mov %rdi, 24(%rax)
    mov %r8, 32(%rax)
    mov %r9, 40(%rax)
    mov %r10, 48(%rax)
    mov %r11, 56(%rax)
    mov %rbx, 64(%rax)
    mov %rax, %rdi
    call layer_exit
    mov (%rsp), %rdi
    test %eax, %eax
    jnz .Lgone
    mov VMCB_PA(%rdi), %rax
    mov (%rdi), %rcx
    mov 8(%rdi), %rdx
    mov 16(%rdi), %rsi
    mov 32(%rdi), %r8
    mov 40(%rdi), %r9
    mov 48(%rdi), %r10
    mov 56(%rdi), %r11
    mov 64(%rdi), %rbx
    mov 24(%rdi), %rdi
    jmp .Lrun

.Lgone: /* on the bare core again, interrupts off; 1: the layer left, 2: VMRUN refused its guest */
    mov GUEST_RSP(%rdi), %rsp
    dec %eax
    jz .Lleft
    mov $-1, %eax
    POP_SAVED
    ret
.Lguest:
    xor %eax, %eax
    POP_SAVED
    ret
    .size layer_enter, . - layer_enter

    .globl layer_leave
    .type layer_leave, @function
layer_leave:
    mov $LAYER_LEAVE, %eax
    vmmcall
    ud2     /* the layer goes on at .Lleft with our stack */
.Lleft:
    ret
    .size layer_leave, . - layer_leave

    .section .note.GNU-stack, "", @progbits
