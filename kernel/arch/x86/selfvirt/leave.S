/* SPDX-License-Identifier: MIT */
/* leave.S - the call after which VMRUN is not executed again: selfvirt/entry.S returns to our caller, on our stack. */
#define LAYER_LEAVE 8

    .text
    .globl layer_leave
    .type layer_leave, @function
layer_leave:
    mov $LAYER_LEAVE, %eax
    vmmcall
    ud2
    .size layer_leave, . - layer_leave

    .section .note.GNU-stack, "", @progbits
