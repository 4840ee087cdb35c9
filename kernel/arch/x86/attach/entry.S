/* SPDX-License-Identifier: MIT */
/*
 * entry.S - entry of a CPU from Linux, and the world switch with Linux.
 *
 * The module's trampoline comes in on our page tables and a stack of ours, with GIF clear and rdi = struct attach_cpu.
 * All descriptor tables and segments are still Linux's. GIF stays clear as long as this CPU is in the kernel on behalf
 * of Linux: NMIs and machine checks are Linux's and wait until it runs again. So do its interrupts: V_INTR_MASKING is
 * 0, and Linux's own IF decides when they are taken (APM vol. 2, 15.21.1).
 */
#include <api/attach.h>

#include "../64/gprs.h"
#include "segments.h"

    .text
/* Attach of one CPU. */
    .globl attach_cpu_entry
attach_cpu_entry:
    lgdt ATTACH_CPU_HOST_GDTR + 6(%rdi)
    lidt ATTACH_CPU_HOST_IDTR + 6(%rdi)
    OUR_SEGMENTS
    mov ATTACH_CPU_HOST_VMCB(%rdi), %rax
    vmload %rax
    push %rdi
    call attach_begin
    mov (%rsp), %rdi

.Lrun:
    mov ATTACH_CPU_VMCB_PA(%rdi), %rax
    vmload %rax
    LOAD_GUEST_SAVED ATTACH_CPU_REGS
    LOAD_GUEST ATTACH_CPU_REGS
    vmrun %rax
    SAVE_GUEST ATTACH_CPU_REGS
    SAVE_GUEST_SAVED ATTACH_CPU_REGS
    mov ATTACH_CPU_VMCB_PA(%rdi), %rax
    vmsave %rax
    mov ATTACH_CPU_HOST_VMCB(%rdi), %rax
    vmload %rax
    call attach_exit
    mov (%rsp), %rdi
    test %al, %al
    jz .Lrun

    .globl attach_leave
attach_leave:
    jmp *ATTACH_CPU_LEAVE(%rdi)

/* A core that Linux has got back and starts: as attach_cpu_entry, but the VMCB is ready. */
    .globl attach_run
attach_run:
    mov ATTACH_CPU_HOST_RSP(%rdi), %rsp
    lgdt ATTACH_CPU_HOST_GDTR + 6(%rdi)
    lidt ATTACH_CPU_HOST_IDTR + 6(%rdi)
    mov ATTACH_CPU_HOST_VMCB(%rdi), %rax
    vmload %rax
    push %rdi
    jmp .Lrun

    .section .note.GNU-stack, "", @progbits
