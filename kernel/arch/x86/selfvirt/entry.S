/* SPDX-License-Identifier: MIT */
/*
 * entry.S - enters the layer below the kernel, runs its loop, and leaves it.
 *
 * Layer and kernel share GS, FS, TR, LDTR and the system call registers, so there is no VMLOAD and no VMSAVE. They also
 * share RBP and R12-R15, which layer_exit() preserves. IF is 1 at VMRUN, because with V_INTR_MASKING the host's IF
 * decides whether a physical interrupt makes the guest exit (APM 15.21.1); GIF keeps interrupts from the layer.
 *
 * A guest that exits between STI and HLT loses its interrupt shadow in QEMU (amdv/entry.S). This kernel tolerates it:
 * an interrupt between the two is handled, and its handler switches to the thread that it has woken before it returns
 * to the HLT.
 */
#include "../64/gprs.h"

#define VMCB_PA   0
#define STACK_TOP 8
#define GUEST_RSP 16
#define VMCB      24
#define REGS      32
#define RFLAGS_   0x570
#define RIP_      0x578
#define RSP_      0x5d8

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
    SAVE_GUEST REGS
    call layer_exit
    mov (%rsp), %rdi
    test %eax, %eax
    jnz .Lgone
    mov VMCB_PA(%rdi), %rax
    LOAD_GUEST REGS
    jmp .Lrun

.Lgone: /* on the bare core again, interrupts off; 1: the layer has left, 2: VMRUN refused its guest */
    mov GUEST_RSP(%rdi), %rsp
    dec %eax
    jz .Lleft /* return to the caller of layer_leave() */
    mov $-1, %eax
    POP_SAVED
    ret
.Lguest:
    xor %eax, %eax
    POP_SAVED
.Lleft:
    ret
    .size layer_enter, . - layer_enter

    .section .note.GNU-stack, "", @progbits
