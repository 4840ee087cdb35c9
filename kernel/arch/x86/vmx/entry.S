/* SPDX-License-Identifier: MIT */
/*
 * entry.S - the world switch of VT-x (Intel SDM vol. 3, chapters 27 to 29).
 *
 * VMLAUNCH and VMRESUME switch RSP, RIP, RFLAGS, control and segment registers by the current VMCS, but no general
 * register: these are switched here. Interrupts are off at an exit (RFLAGS is 2); an NMI can come.
 */
#include "../64/gprs.h"

#define VMCS_HOST_RSP 0x6c14 /* arch/vmcs.h */
#define GUEST_RAX 128        /* struct hal_vcpu */
#define HOST_RSP 392
#define FAST_EXITS 400
#define NEXT_RIP 416
#define DIRTY 472
#define VMCS_GUEST_RIP 0x681e

    .cfi_sections .debug_frame  /* for backtraces from vmx_fast() */

    .text
/* int vmx_switch(u64 regs[16], bool launched): 0 after an exit, 1 if the guest was not entered. */
    .globl vmx_switch, vmx_exited
    .type vmx_switch, @function
vmx_switch:
    PUSH_SAVED
    push %rdi
    mov $VMCS_HOST_RSP, %eax
    vmwrite %rsp, %rax
    test %esi, %esi             /* MOV leaves the flags */
    LOAD_GUEST_SAVED 0
    mov (%rdi), %rax
    LOAD_GUEST 0
    jnz 1f
    vmlaunch
    jmp 2f
1:  vmresume
2:  pop %rdi
    mov $1, %eax
3:  POP_SAVED
    ret
vmx_exited:                     /* HOST_RIP; the record's address is on top of the stack */
    push %rax
    mov 8(%rsp), %rax
    popq (%rax)
    SAVE_GUEST 0
    SAVE_GUEST_SAVED 0
    pop %rdi
    xor %eax, %eax
    jmp 3b

/* The record's address is in rdi, before and after. ZF is set after an exit, clear if the guest was not entered; all
 * other registers but rbx are the guest's afterwards (vmx_run(), access.h). A VMCS that was cleared refuses VMRESUME,
 * one that has been entered VMLAUNCH. What vmx_fast() has resolved was an exit, so RIP moves on and VMRESUME follows. */
    .globl vmx_run_guest, vmx_left
    .type vmx_run_guest, @function
vmx_run_guest:
    .cfi_startproc
    push %rbx
    push %rdi
    .cfi_def_cfa_offset 3 * 8
    cmp %rsp, HOST_RSP(%rdi)
    je 1f
    mov %rsp, HOST_RSP(%rdi)
    mov $VMCS_HOST_RSP, %eax
    vmwrite %rsp, %rax
1:  LOAD_GUEST_SAVED 0
    mov GUEST_RAX(%rdi), %rax
    LOAD_GUEST 0
    vmresume
3:  vmlaunch
    test %rsp, %rsp
    pop %rdi
    pop %rbx
    ret
vmx_left:                       /* HOST_RIP; the record's address is on top of the stack */
    push %rax
    mov 8(%rsp), %rax
    popq GUEST_RAX(%rax)
    SAVE_GUEST_AT_RAX 0
    call vmx_fast
    mov (%rsp), %rdi
    test %al, %al
    jz 5f
    mov $VMCS_GUEST_RIP, %eax
    vmwrite NEXT_RIP(%rdi), %rax
    cmpl $0, DIRTY(%rdi)
    jne 6f
4:  incq FAST_EXITS(%rdi)
    mov GUEST_RAX(%rdi), %rax
    LOAD_GUEST 0
    vmresume
    jmp 3b
5:  SAVE_GUEST_SAVED 0
    xor %eax, %eax
    pop %rdi
    pop %rbx
    ret
6:  call vmx_fast_dirty
    mov (%rsp), %rdi
    test %al, %al
    jnz 4b
    jmp 5b
    .cfi_endproc
    .size vmx_run_guest, . - vmx_run_guest

    .section .note.GNU-stack, "", @progbits
