/* SPDX-License-Identifier: MIT */
/*
 * entry.S - the world switch of VT-x (Intel SDM vol. 3, chapters 27 to 29).
 *
 * VMLAUNCH and VMRESUME switch RSP, RIP, RFLAGS, control and segment registers by the current VMCS, but no general
 * register: these are switched here. Interrupts are off at an exit (RFLAGS is 2); an NMI can come.
 */
#include "../64/gprs.h"

#define VMCS_HOST_RSP 0x6c14 /* arch/vmcs.h */

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

    .section .note.GNU-stack, "", @progbits
